import { AudioClient } from '@svc-audio/core'
import { disconnectSignal, failureAnswer, logFailure, transcribeRequest } from '@svc-audio/upload'
import Koa, { type Context } from 'koa'

const client = new AudioClient()

async function transcribe(ctx: Context) {
  const context = { client, signal: disconnectSignal(ctx.res), context: ctx }
  const { transcription } = await transcribeRequest(ctx.req, { maxFileSize: 25_000_000 }, context)
  ctx.body = transcription
}

async function answerFailures(ctx: Context, next: () => Promise<void>) {
  try {
    await next()
  } catch (error) {
    const response = failureAnswer(error)
    if (response === undefined) throw error
    logFailure(error, { where: `${ctx.method} ${ctx.path}` })
    ctx.status = response.status
    if (response.retryAfterSeconds !== undefined) ctx.set('Retry-After', String(response.retryAfterSeconds))
    ctx.body = { error: { code: response.code, message: response.message } }
  }
}

new Koa()
  .use(answerFailures)
  .use(transcribe)
  .listen(process.env['PORT'] ?? 3000)
