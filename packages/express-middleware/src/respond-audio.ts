import type { AudioBody, CallOptions } from '@svc-audio/core'
import {
  CALL_RULES,
  type CallHandlerOptions,
  checkOptions,
  disconnectSignal,
  optionRules,
  sendAudio,
  toGatewayError,
  type Uncalled,
} from '@svc-audio/upload'
import type { Request, RequestHandler, Response } from 'express'
import { asyncHandler } from './async-handler.ts'

/** Options of {@link respondAudio}. */
export interface RespondAudioOptions extends CallHandlerOptions {
  /** Makes the call with these options. */
  readonly call: (request: Request, options: CallOptions) => Promise<AudioBody>
}

/**
 * A handler that answers with the audio of any call: speech, dialogue, a generated voice, a stored result. The audio
 * is sent while it arrives. `HEAD` makes no call.
 *
 * @throws ConfigurationError here, naming a wrong option
 *
 * @example
 * app.post('/dialogue', express.json(), respondAudio({
 *   call: (req, options) => client.dialogue.create({ model: 'svc-ttsd-1.0', speakers, segments: req.body.segments }, options),
 * }))
 */
export function respondAudio(options: RespondAudioOptions, ..._uncalled: Uncalled<'respondAudio'>[]): RequestHandler {
  checkOptions('respondAudio', options, { ...CALL_RULES, call: optionRules.callback })
  const { call, ...rest } = options
  return callHandler(rest, async (request, response, callOptions, signal) =>
    sendAudio(response, await call(request, callOptions), signal),
  )
}

/** The work of a handler for one request, with options for its calls. */
type HandlerWork = (request: Request, response: Response, options: CallOptions, signal: AbortSignal) => Promise<void>

/** A handler around one billable call that a browser waits for. `HEAD` is answered without it. */
export function callHandler(options: CallHandlerOptions, work: HandlerWork): RequestHandler {
  return resourceHandler(options, async (request, response, ...rest) => {
    // Only the billable call tells the type of the audio.
    if (request.method === 'HEAD') response.status(200).end()
    else await work(request, response, ...rest)
  })
}

/** A handler around calls that are not billable. */
export function resourceHandler(
  { timeout, maxRetries = 0, logger }: CallHandlerOptions,
  work: HandlerWork,
): RequestHandler {
  return asyncHandler(logger === undefined ? {} : { logger }, async (request, response) => {
    const signal = disconnectSignal(response)
    try {
      await work(request, response, { signal, maxRetries, ...(timeout === undefined ? {} : { timeout }) }, signal)
    } catch (error) {
      throw toGatewayError(error)
    }
    return false
  })
}
