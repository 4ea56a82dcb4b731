/*
 * What is known of a rewritten module without rewriting one. It is apart from `rewrite-module.ts` because that loads a
 * megabyte of WebAssembly tools.
 */

/** Goes into the name of a cached module: anyone who changes what `rewriteModule` makes raises it. */
export const REWRITE_VERSION = 1

/** Memory that a rewritten module has, in bytes; only what it touches counts. */
export const REWRITTEN_MEMORY_BYTES: number = 192 * 1024 * 1024
