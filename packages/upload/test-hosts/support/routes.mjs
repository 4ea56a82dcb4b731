// The routes of an app, the same on every runtime and in Next.js.
import { AudioClient } from '@svc-audio/core'
import { createWebhookReceiver } from '@svc-audio/core/webhooks'
import { audioWebhooks, forwardUpload, playResult, speak, transcribeUpload } from '@svc-audio/upload'

export function createRoutes(options) {
  const client = new AudioClient({ ...options, maxRetries: 0 })
  const shared = { client, logger: false }
  const handled = []
  const receiver = createWebhookReceiver({
    client,
    url: 'https://app.example/hooks',
    secret: 'a secret of thirty-two characters',
    handlers: { '*': ({ id }) => void handled.push(id) },
  })
  const quota = transcribeUpload({
    ...shared,
    maxFileSize: () => {
      throw new Error('no plan')
    },
  })
  const routes = {
    '/transcribe': transcribeUpload({ ...shared, model: 'svc-transcribe-1.0', maxFileSize: 100_000 }),
    '/answer': transcribeUpload({
      ...shared,
      // termsOf of the behaviour table
      body: (_context, { fields: { term } }) =>
        term === undefined ? {} : { model: 'svc-transcribe-diarize-pro', diarize: true, keyterms: term },
      answer: ({ transcription: { text }, upload }) => Response.json({ text, upload }),
    }),
    '/quick': transcribeUpload({ ...shared, timeout: 1000 }),
    '/large': transcribeUpload(shared),
    '/live': transcribeUpload({ ...shared, respond: 'sse' }),
    '/task': transcribeUpload({ ...shared, respond: 'task' }),
    '/quota': async (request) => {
      try {
        return await quota(request)
      } catch (error) {
        return new Response(error.message, { status: 402 })
      }
    },
    '/guarded': async () => new Response(null, { status: 401 }),
    '/files': forwardUpload({ logger: false, call: ({ file, options: call }) => client.files.create({ file }, call) }),
    '/speak': speak({ ...shared, voice_id: 'rms' }),
    '/pcm': speak({ ...shared, respond: 'pcm' }),
    '/events': speak({ ...shared, respond: 'sse' }),
    '/play': playResult({ ...shared, task: ({ url }) => new URL(url).pathname.split('/').at(-1) }),
    '/hooks': audioWebhooks({ receiver }),
    '/callback': async () => Response.json(await receiver.createCallback()),
    '/handled': async () => Response.json(handled),
  }
  return async (request) => {
    // Next.js has the routes in a folder.
    const [, name = ''] = /^(?:\/table)?(\/[a-z]+)/.exec(new URL(request.url).pathname) ?? []
    return routes[name](request)
  }
}
