// Plain JavaScript over the built package, so that what is measured is what gets published, not a TypeScript loader.
import { readFileSync } from 'node:fs'
import { AudioClient } from '@svc-audio/core'
import { transcribeUpload } from '@svc-audio/express-middleware'
import express from 'express'

// An app in a process of its own, so that nothing but the app counts. The first argument is the service's address; the
// app tells its own on standard output.
const client = new AudioClient({ apiKey: 'key', baseUrl: process.argv[2] })
const app = express()
app.post('/transcribe', transcribeUpload({ client, model: 'svc-transcribe-1.0' }), (request, response) => {
  response.json({ bytes: request.upload.bytes, peakBytes: peakBytes() })
})
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`)
})

/** Largest resident memory so far. The system's own counter of the process would include what its parent used. */
function peakBytes() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024
}
