import { AudioClient } from '@svc-audio/core'
import { transcribeUpload } from '@svc-audio/upload'

const client = new AudioClient()

Bun.serve({
  port: process.env['PORT'] ?? 3000,
  routes: { '/transcribe': { POST: transcribeUpload({ client, maxFileSize: 25_000_000 }) } },
})
