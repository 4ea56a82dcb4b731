/*
 * The worker thread that rewrites the module, once, and ends: its `workerData` are the bytes, its one message is the
 * result. An error ends it.
 */
import { parentPort, workerData } from 'node:worker_threads'

import { rewriteModule } from './rewrite-module.ts'

// untyped by nature; it is started with nothing else
const bytes: Uint8Array = workerData

const rewritten = await rewriteModule(bytes)
parentPort?.postMessage(rewritten, [rewritten.buffer])
