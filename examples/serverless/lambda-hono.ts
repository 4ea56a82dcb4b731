import { AudioClient } from '@svc-audio/core'
import { speak, transcribeUpload } from '@svc-audio/hono'
import { Hono } from 'hono'
import { handle } from 'hono/aws-lambda'

const client = new AudioClient()
const app = new Hono()
app.post('/transcribe', transcribeUpload({ client, maxFileSize: 4_000_000 }))
app.post('/speak', speak({ client, voice_id: 'rms', response_format: 'mp3' }))

export const handler = handle(app)
