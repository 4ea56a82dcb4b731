import { AudioClient } from '@svc-audio/core'
import { transcribeHandler } from '@svc-audio/upload'

const client = new AudioClient()

Bun.serve({
  port: process.env['PORT'] ?? 3000,
  routes: { '/transcribe': { POST: transcribeHandler({ client, maxFileSize: 25_000_000 }) } },
})
