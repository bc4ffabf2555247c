"""Trains a tiny, randomly initialised model with TRL, supervised and by GRPO, from what `gtd export` wrote.

    python benchmarks/train_tiny.py SFT.jsonl GRPO.jsonl WORK_FOLDER

It shows that the exports, the reward and the trainers fit together, not that anything is learnt. Needs the extra
`train`; the model and its tokenizer are made here, so nothing is downloaded. Each gold is a single token of that
tokenizer, so that so small a model can say one. Two supervised steps run on the rows as they are. Then the model is
taught by heart to give a few golds, whatever the prompt, so that GRPO meets rewards other than 0; and two GRPO
steps run. Prints one JSON object: losses, the mean rewards that the trainer logged, and what the grader gives for
each completion of each step.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from datasets import Dataset, load_dataset
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM, set_seed
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

from gpu_train_debug.grading.rubric import grade
from gpu_train_debug.reward import task_reward

SEED = 2027
STEPS = 2
ON_CPU: dict[str, Any] = {
    "logging_steps": 1,
    "save_strategy": "no",
    "report_to": "none",
    "use_cpu": True,
    "bf16": False,
    "gradient_checkpointing": False,
    "disable_tqdm": True,
    "seed": SEED,
}
"""What both trainers are told."""
TAUGHT = 24
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def make_tokenizer(texts: Sequence[str], golds: Sequence[str]) -> PreTrainedTokenizerFast:
    """A byte-level tokenizer of the texts, with a token for each gold and the conversation format of Qwen."""
    tokenizer = Tokenizer(models.BPE())
    lines = pre_tokenizers.Split("\n", "isolated")  # most lines are the same in all prompts and become one token
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [lines, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=12_000, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_tokens([AddedToken(gold, normalized=False) for gold in golds])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>", chat_template=TEMPLATE
    )


def make_model(tokenizer: PreTrainedTokenizerFast) -> Qwen2ForCausalLM:
    """Two layers of the model family that the training configs name, with random weights."""
    return Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=len(tokenizer),
            hidden_size=64,
            intermediate_size=128,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=16384,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )


def supervise(model: Qwen2ForCausalLM, tokenizer: Any, rows: Dataset, folder: Path, **settings: Any) -> list[float]:
    """Train on the completions of `rows`; gives the loss of each step."""
    config = SFTConfig(
        output_dir=str(folder / "sft"),
        per_device_train_batch_size=2,
        max_length=16384,
        completion_only_loss=True,
        **ON_CPU,
        **settings,
    )
    trainer = SFTTrainer(model=model, args=config, train_dataset=rows, processing_class=tokenizer)
    trainer.train()
    return [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]


def reinforce(model: Qwen2ForCausalLM, tokenizer: Any, rows: Dataset, folder: Path) -> dict[str, Any]:
    """Run GRPO with the package's reward; gives the trainer's own numbers, and what the grader says.

    The latter takes nothing from the reward: it decodes the tokens that were sampled, and looks each gold up by id.
    """
    golds = {row["id"]: row["gold"] for row in rows}
    graded: list[list[float]] = []

    def grade_tokens(completion_ids: list[list[int]], id: list[str], **_: Any) -> list[None]:
        replies = [tokenizer.decode(tokens, skip_special_tokens=True) for tokens in completion_ids]
        graded.append([grade(reply, golds[task]).score for reply, task in zip(replies, id, strict=True)])
        return [None] * len(replies)

    config = GRPOConfig(
        output_dir=str(folder / "grpo"),
        max_steps=STEPS,
        learning_rate=1e-6,
        per_device_train_batch_size=4,
        gradient_accumulation_steps=2,
        num_generations=4,
        max_completion_length=4,
        temperature=1.0,
        shuffle_dataset=False,
        **ON_CPU,
    )
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=[task_reward, grade_tokens],
        args=config,
        train_dataset=rows,
        processing_class=tokenizer,
    )
    trainer.train()
    history = [entry for entry in trainer.state.log_history if "loss" in entry]
    return {
        "losses": [entry["loss"] for entry in history],
        "grad_norms": [entry["grad_norm"] for entry in history],
        "mean_rewards": [entry["reward"] for entry in history],
        "graded": graded,
    }


def main(sft_file: str, grpo_file: str, work: str) -> None:
    set_seed(SEED)
    folder = Path(work)
    cache = str(folder / "cache")
    sft = load_dataset("json", data_files=sft_file, split="train", cache_dir=cache)
    grpo = load_dataset("json", data_files=grpo_file, split="train", cache_dir=cache)
    texts = [row["prompt"][0]["content"] for row in sft]
    golds = sorted({row["gold"] for row in grpo})
    tokenizer = make_tokenizer(texts, golds)
    model = make_model(tokenizer)
    losses = supervise(model, tokenizer, sft, folder, max_steps=STEPS, learning_rate=1e-3)
    first = [grpo[i] for i in range(2)]
    replies = [[{"role": "assistant", "content": row["gold"]}] for row in first]
    by_heart = [{"prompt": row["prompt"], "completion": reply} for row in first for reply in replies]
    supervise(model, tokenizer, Dataset.from_list(by_heart), folder, max_steps=TAUGHT, learning_rate=1e-2)
    result = {
        "rows": {"sft": len(sft), "grpo": len(grpo)},
        "prompt_tokens": sorted(len(tokenizer(text)["input_ids"]) for text in texts)[len(texts) // 2],
        "parameters": model.num_parameters(),
        "sft": {"losses": losses},
        "grpo": reinforce(model, tokenizer, grpo, folder),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
