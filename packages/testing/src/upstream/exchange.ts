import type { IncomingMessage, ServerResponse } from 'node:http'
import { status } from '../faults/status.ts'
import { Refusal } from '../happy/fields.ts'
import { HAPPY_RESPONSES } from '../happy/happy-responses.ts'
import type { World } from '../happy/world.ts'
import { type Exchange, happy, type Reply, resolveResponse, type ScriptedResponse, sendReply } from './reply.ts'
import type { Pace, RequestRecorder } from './request-recorder.ts'

/** Answers one request. Rejects if the request ends before the response is made. */
export async function answerRequest(
  message: IncomingMessage,
  response: ServerResponse,
  request: RequestRecorder,
  world: World,
  scripted: ScriptedResponse | undefined,
): Promise<void> {
  let pace: Pace | undefined
  let early = false
  const exchange: Exchange = {
    request,
    message,
    response,
    signal: request.signal,
    received: async () => {
      if (!early) await request.read(pace)
    },
    pace: (wanted) => {
      pace = wanted
    },
    respondEarly: () => {
      early = true
    },
    happy: async () => {
      await request.read(pace)
      return happyReply(request, world)
    },
  }
  const reply = await makeReply(scripted ?? happy, exchange)
  await exchange.received()
  // The rest of the body after an early response is still recorded.
  void request.read(pace).catch(() => {})
  await sendReply(exchange, reply, () => {
    request.cutHere = true
  })
}

/** Reports a mistake in a script to the client, because the test sees the client's error first. */
async function makeReply(response: ScriptedResponse, exchange: Exchange): Promise<Reply> {
  try {
    return await resolveResponse(response, exchange)
  } catch (error) {
    if (exchange.signal.aborted || exchange.response.headersSent) throw error
    const message = `The scripted response failed: ${error instanceof Error ? error.message : String(error)}`
    return status(500, { error: { code: 'test_upstream_failed', message } })
  }
}

function happyReply(request: RequestRecorder, world: World): Reply {
  const { route, id, methods } = request.match
  if (route === undefined && methods.length === 0) {
    return status(404, { error: { code: 'not_found', message: `There is no ${request.path}` } })
  }
  if (route === undefined) {
    return status(405, { headers: { allow: methods.join(', ') }, error: { code: 'method_not_allowed' } })
  }
  try {
    return HAPPY_RESPONSES[route]({ world, request, id })
  } catch (error) {
    if (error instanceof Refusal) return error.reply
    throw error
  }
}
