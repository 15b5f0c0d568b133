#!/usr/bin/env python3
"""Compiles one training step of a real model with torch.compile, so that its kernels lie in Inductor's cache.

  make_kernels.py MODEL     bert, gpt2, llama, resnet or vit; weights are random, nothing is fetched

The caller sets TORCHINDUCTOR_CACHE_DIR and TRITON_CACHE_DIR, and TORCHINDUCTOR_BENCHMARK_KERNEL=1 so that each kernel
file can be run on its own.
"""
import sys
import time

import torch


def language_model(name):
    import transformers as t
    small = dict(vocab_size=16000, hidden_size=512, num_hidden_layers=4, num_attention_heads=8)
    if name == "bert":
        config = t.BertConfig(**small, intermediate_size=2048)
        return t.BertForMaskedLM(config), 16000
    if name == "gpt2":
        return t.GPT2LMHeadModel(t.GPT2Config(vocab_size=16000, n_embd=512, n_layer=4, n_head=8)), 16000
    config = t.LlamaConfig(**small, intermediate_size=1376)
    return t.LlamaForCausalLM(config), 16000


def step_of(name):
    device = "cuda"
    if name in ("bert", "gpt2", "llama"):
        model, words = language_model(name)
        ids = torch.randint(0, words, (8, 512), device=device)
        inputs = dict(input_ids=ids, labels=ids)
        return model, lambda m: m(**inputs).loss
    import torchvision.models as v
    model = v.resnet50() if name == "resnet" else v.vit_b_16()
    images = torch.randn(32, 3, 224, 224, device=device)
    target = torch.randint(0, 1000, (32,), device=device)
    return model, lambda m: torch.nn.functional.cross_entropy(m(images), target)


def main(name):
    began = time.time()
    torch.manual_seed(0)
    model, loss_of = step_of(name)
    model = model.to("cuda").train()
    compiled = torch.compile(model)
    for _ in range(2):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = loss_of(compiled)
        loss.backward()
    torch.cuda.synchronize()
    print(f"{name}: loss {loss.item():.3f}, {time.time() - began:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1])
