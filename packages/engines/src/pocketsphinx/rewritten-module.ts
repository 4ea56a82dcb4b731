/*
 * Facts about a rewritten module. They are separate from `rewrite-module.ts`, which loads a megabyte of WebAssembly
 * tools.
 */

/** A part of the cached module's name. Increase it when you change the result of `rewriteModule`. */
export const REWRITE_VERSION = 1

/** Memory of a rewritten module, in bytes. Only touched memory counts. */
export const REWRITTEN_MEMORY_BYTES: number = 192 * 1024 * 1024
