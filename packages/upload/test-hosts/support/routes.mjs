// The routes of an app, the same on every runtime and in Next.js.
import { AudioClient } from '@svc-audio/core'
import { createWebhookReceiver } from '@svc-audio/core/webhooks'
import { playResultHandler, speakHandler, transcribeHandler, uploadHandler, webhookHandler } from '@svc-audio/upload'

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
  const quota = transcribeHandler({
    ...shared,
    maxFileSize: () => {
      throw new Error('no plan')
    },
  })
  const routes = {
    '/transcribe': transcribeHandler({ ...shared, model: 'svc-transcribe-1.0', maxFileSize: 100_000 }),
    '/answer': transcribeHandler({
      ...shared,
      // termsOf of the behaviour table
      body: (_context, { fields: { term } }) =>
        term === undefined ? {} : { model: 'svc-transcribe-diarize-pro', diarize: true, keyterms: term },
      answer: ({ transcription: { text }, upload }) => Response.json({ text, upload }),
    }),
    '/quick': transcribeHandler({ ...shared, timeout: 1000 }),
    '/large': transcribeHandler(shared),
    '/live': transcribeHandler({ ...shared, respond: 'sse' }),
    '/task': transcribeHandler({ ...shared, respond: 'task' }),
    '/quota': async (request) => {
      try {
        return await quota(request)
      } catch (error) {
        return new Response(error.message, { status: 402 })
      }
    },
    '/files': uploadHandler({ logger: false, call: ({ file, options: call }) => client.files.create({ file }, call) }),
    '/speak': speakHandler({ ...shared, voice_id: 'rms' }),
    '/pcm': speakHandler({ ...shared, respond: 'pcm' }),
    '/events': speakHandler({ ...shared, respond: 'sse' }),
    '/play': playResultHandler({ ...shared, task: ({ url }) => new URL(url).pathname.split('/').at(-1) }),
    '/hooks': webhookHandler({ receiver }),
    '/callback': async () => Response.json(await receiver.createCallback()),
    '/handled': async () => Response.json(handled),
  }
  return async (request) => {
    // Next.js has the routes in a folder.
    const [, name = ''] = /^(?:\/table)?(\/[a-z]+)/.exec(new URL(request.url).pathname) ?? []
    return routes[name](request)
  }
}
