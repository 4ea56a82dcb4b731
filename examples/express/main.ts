// Runs the app: set SVC_AUDIO_API_KEY and SVC_AUDIO_BASE_URL, then open http://127.0.0.1:3000.
import { tmpdir } from 'node:os'
import { createApp } from './app.ts'

const { SVC_AUDIO_API_KEY: apiKey = '', SVC_AUDIO_BASE_URL: baseUrl = 'http://127.0.0.1:8787' } = process.env
const port = Number(process.env['PORT'] ?? 3000)
const publicUrl = process.env['PUBLIC_URL'] ?? `http://127.0.0.1:${port}`
const { app, client } = createApp({ apiKey, baseUrl, folder: tmpdir(), publicUrl })

const server = app.listen(port, () => console.log(`http://127.0.0.1:${port}`))
// Node ends a request after five minutes. A large upload over a slow connection needs more.
server.requestTimeout = 30 * 60_000
process.once('SIGTERM', () => server.close(() => void client.close()))
