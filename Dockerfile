# syntax=docker/dockerfile:1
#
#   docker build -t meshjudge .                                  draws on the CPU; needs no driver
#   docker build -t meshjudge:gpu --target gpu .                 draws on a card that the runtime lends
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/data" meshjudge render chair.glb --out pictures
#   docker run --rm --gpus all -v "$PWD:/data" meshjudge:gpu doctor
#
# The compiler's version is that of rust-toolchain.toml; a test compares them.

FROM rust:1.95.0-slim-bookworm AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --profile dist --locked --features onnx,parquet \
    && install -D target/dist/meshjudge /out/bin/meshjudge \
    && target/dist/meshjudge man --out /out/share/man/man1

# glibc, since musl has neither a loader for drivers nor a fast allocator; certificates for judges on servers.
FROM debian:bookworm-slim AS base
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /out /usr/local
# Nobody that the host knows; `--user` gives files the caller's name.
RUN groupadd --gid 10001 meshjudge \
    && useradd --uid 10001 --gid 10001 --create-home meshjudge \
    && install -d -o meshjudge -g meshjudge /data
WORKDIR /data
ENTRYPOINT ["meshjudge"]

# Vulkan's loader and what NVIDIA's driver links to; the driver itself is lent by the runtime (`--gpus all`).
FROM base AS gpu
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends libvulkan1 libx11-6 libxext6 \
    && rm -rf /var/lib/apt/lists/*
ENV NVIDIA_VISIBLE_DEVICES=all \
    NVIDIA_DRIVER_CAPABILITIES=graphics,utility
USER 10001:10001

# The last stage is what `docker build` makes unless told otherwise.
FROM base AS cpu
USER 10001:10001
