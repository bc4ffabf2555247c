"""From paths of sources to a plan, or the reasons why not."""
