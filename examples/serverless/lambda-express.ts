import { AudioClient } from '@svc-audio/core'
import { audioErrors, speak, transcribeUpload } from '@svc-audio/express-middleware'
import express from 'express'
import serverless from 'serverless-http'

const client = new AudioClient()
const app = express()
app.post('/transcribe', transcribeUpload({ client, maxFileSize: 4_000_000 }), (req, res) => {
  res.json(req.transcription)
})
app.post('/speak', express.json(), speak({ client, voice_id: 'rms', response_format: 'mp3' }))
app.use(audioErrors())

// Without `binary`, the adapter returns audio as text.
export const handler = serverless(app, { binary: ['audio/*'] })
