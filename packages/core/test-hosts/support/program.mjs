// The jobs as a program of Node, Bun and Deno.
import process from 'node:process'
import { runJobs } from './jobs.mjs'

console.log(JSON.stringify(await runJobs({})))
process.exit(0)
