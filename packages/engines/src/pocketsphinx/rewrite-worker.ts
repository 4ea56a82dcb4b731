/*
 * The worker thread that rewrites the module once and exits. Its `workerData` are the bytes, its one message is the
 * result. An error ends it.
 */
import { parentPort, workerData } from 'node:worker_threads'

import { rewriteModule } from './rewrite-module.ts'

// Untyped by nature; only the driver starts this file.
const bytes: Uint8Array = workerData

const rewritten = await rewriteModule(bytes)
parentPort?.postMessage(rewritten, [rewritten.buffer])
