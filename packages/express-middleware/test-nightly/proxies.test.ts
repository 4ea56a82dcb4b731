import { describeRefusals, SMALL_BYTES } from '@svc-audio/kit/hosts/refusal-suite'
import { createTestUpstream } from '@svc-audio/testing'
import type { ErrorRequestHandler } from 'express'
import { discardUnread, transcribeUpload } from '../src/index.ts'
import { KEY, startApp } from '../test/support/app.ts'

const noPlan = (): number => {
  throw Object.assign(new Error('no plan'), { status: 402, expose: true })
}

const answerNoPlan: ErrorRequestHandler = (error, _request, response, next) => {
  if (Reflect.get(error as object, 'status') === 402) response.status(402).json({})
  else next(error)
}

for (const version of [4, 5] as const) {
  describeRefusals({
    framework: `Express ${version}`,
    start: async () => {
      const upstream = await createTestUpstream({ apiKey: KEY })
      const app = await startApp(
        upstream.url,
        (routes, client) => {
          routes.post('/', transcribeUpload({ client }))
          routes.post('/video', transcribeUpload({ client, accept: ['video/*'] }))
          routes.post('/small', transcribeUpload({ client, maxFileSize: SMALL_BYTES }))
          routes.use(discardUnread())
          routes.post('/guarded', (_request, response) => void response.status(401).json({}))
          routes.post('/quota', transcribeUpload({ client, maxFileSize: noPlan }))
          routes.use(answerNoPlan)
        },
        { version },
      )
      return { url: app.url, close: async () => void (await Promise.all([app.close(), upstream.close()])) }
    },
  })
}
