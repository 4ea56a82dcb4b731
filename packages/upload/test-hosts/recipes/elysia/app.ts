import { AudioClient } from '@svc-audio/core'
import { transcribeUpload } from '@svc-audio/upload'
import { Elysia } from 'elysia'

const client = new AudioClient()

new Elysia()
  // `none` leaves the body to the handler.
  .post('/transcribe', transcribeUpload({ client, maxFileSize: 25_000_000 }), { parse: 'none' })
  .listen(process.env['PORT'] ?? 3000)
