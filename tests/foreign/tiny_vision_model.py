"""Writes a tiny vision model of random weights for llama.cpp's server: FOLDER/tiny.gguf and FOLDER/tiny-mmproj.gguf.

    pip install gguf numpy
    python tests/foreign/tiny_vision_model.py FOLDER
    llama-server -m FOLDER/tiny.gguf --mmproj FOLDER/tiny-mmproj.gguf -c 16384 --port 8080

What it says is noise of small letters, spaces and quotes; with a JSON schema the server makes it noise of the right form. So every step between a program and a real server is
tried: the request, the pictures, the schema, the reply, the tokens counted. The text half is of the llama architecture with a token for
each byte, the vision half a CLIP tower with LLaVA's projector.
"""

import pathlib
import sys

import gguf
import numpy as np

WIDTH, LAYERS, HEADS, HIDDEN, CONTEXT = 64, 2, 4, 128, 16384
IMAGE, PATCH = 112, 14
random = np.random.default_rng(1)


def noise(*shape, scale=0.08):
    return (random.standard_normal(shape) * scale).astype(np.float32)


def ones(size):
    return np.ones(size, np.float32)


def zeros(size):
    return np.zeros(size, np.float32)


def liking(byte):
    """What one feature, the same in every state, adds to a byte's chance: sentences of letters that come to an end."""
    if byte == ord('"'):
        return 0.1
    if byte == ord(" ") or ord("a") <= byte <= ord("z"):
        return 0.0
    return -0.3 if 32 < byte < 127 else -4.0


def text(path):
    tokens = [b"<unk>", b"<s>", b"</s>"] + [f"<0x{byte:02X}>".encode() for byte in range(256)]
    kinds = [gguf.TokenType.UNKNOWN] + [gguf.TokenType.CONTROL] * 2 + [gguf.TokenType.BYTE] * 256
    out = gguf.GGUFWriter(path, "llama")
    out.add_name("tiny")
    out.add_context_length(CONTEXT)
    out.add_embedding_length(WIDTH)
    out.add_block_count(LAYERS)
    out.add_feed_forward_length(HIDDEN)
    out.add_head_count(HEADS)
    out.add_head_count_kv(HEADS)
    out.add_rope_dimension_count(WIDTH // HEADS)
    out.add_layer_norm_rms_eps(1e-5)
    out.add_vocab_size(len(tokens))
    out.add_tokenizer_model("llama")
    out.add_token_list(tokens)
    out.add_token_scores([0.0] * len(tokens))
    out.add_token_types(kinds)
    out.add_bos_token_id(1)
    out.add_eos_token_id(2)
    out.add_unk_token_id(0)
    out.add_chat_template("{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant: ")
    embedding, output = noise(len(tokens), WIDTH, scale=1.0), noise(len(tokens), WIDTH)
    embedding[:, 0] = 8.0
    output[:, 0] = [-4.0] * 3 + [liking(byte) for byte in range(256)]
    out.add_tensor("token_embd.weight", embedding)
    out.add_tensor("output_norm.weight", ones(WIDTH))
    out.add_tensor("output.weight", output)
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        out.add_tensor(f"{block}.attn_norm.weight", ones(WIDTH))
        out.add_tensor(f"{block}.ffn_norm.weight", ones(WIDTH))
        for name in ["attn_q", "attn_k", "attn_v", "attn_output"]:
            out.add_tensor(f"{block}.{name}.weight", noise(WIDTH, WIDTH))
        out.add_tensor(f"{block}.ffn_gate.weight", noise(HIDDEN, WIDTH))
        out.add_tensor(f"{block}.ffn_up.weight", noise(HIDDEN, WIDTH))
        out.add_tensor(f"{block}.ffn_down.weight", noise(WIDTH, HIDDEN))
    finish(out)


def vision(path):
    out = gguf.GGUFWriter(path, "clip")
    out.add_name("tiny")
    out.add_bool("clip.has_vision_encoder", True)
    out.add_string("clip.projector_type", "mlp")
    out.add_bool("clip.use_gelu", False)
    out.add_uint32("clip.vision.image_size", IMAGE)
    out.add_uint32("clip.vision.patch_size", PATCH)
    out.add_uint32("clip.vision.embedding_length", WIDTH)
    out.add_uint32("clip.vision.feed_forward_length", HIDDEN)
    out.add_uint32("clip.vision.block_count", LAYERS)
    out.add_uint32("clip.vision.projection_dim", WIDTH)
    out.add_uint32("clip.vision.attention.head_count", HEADS)
    out.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-5)
    out.add_array("clip.vision.image_mean", [0.48, 0.46, 0.41])
    out.add_array("clip.vision.image_std", [0.27, 0.26, 0.28])
    patches = (IMAGE // PATCH) ** 2
    out.add_tensor("v.class_embd", noise(WIDTH))
    out.add_tensor("v.patch_embd.weight", noise(WIDTH, 3, PATCH, PATCH))
    out.add_tensor("v.position_embd.weight", noise(patches + 1, WIDTH))
    out.add_tensor("v.pre_ln.weight", ones(WIDTH))
    out.add_tensor("v.pre_ln.bias", zeros(WIDTH))
    for layer in range(LAYERS):
        block = f"v.blk.{layer}"
        for name in ["attn_q", "attn_k", "attn_v", "attn_out"]:
            out.add_tensor(f"{block}.{name}.weight", noise(WIDTH, WIDTH))
            out.add_tensor(f"{block}.{name}.bias", zeros(WIDTH))
        for name in ["ln1", "ln2"]:
            out.add_tensor(f"{block}.{name}.weight", ones(WIDTH))
            out.add_tensor(f"{block}.{name}.bias", zeros(WIDTH))
        out.add_tensor(f"{block}.ffn_up.weight", noise(HIDDEN, WIDTH))
        out.add_tensor(f"{block}.ffn_up.bias", zeros(HIDDEN))
        out.add_tensor(f"{block}.ffn_down.weight", noise(WIDTH, HIDDEN))
        out.add_tensor(f"{block}.ffn_down.bias", zeros(WIDTH))
    for place in [0, 2]:
        out.add_tensor(f"mm.{place}.weight", noise(WIDTH, WIDTH))
        out.add_tensor(f"mm.{place}.bias", zeros(WIDTH))
    finish(out)


def finish(out):
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    text(folder / "tiny.gguf")
    vision(folder / "tiny-mmproj.gguf")


if __name__ == "__main__":
    main()
