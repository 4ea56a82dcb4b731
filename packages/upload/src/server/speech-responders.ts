import type { AudioBody, CallOptions } from '@svc-audio/core'
import { toGatewayError } from '../errors.ts'
import { callback } from '../option-rules.ts'
import { checkOptions } from '../options.ts'
import { audioHeaders, audioResponse, eventsResponse, pcmResponse, taskResponse } from './response.ts'
import {
  CALL_RULES,
  type CallHandlerOptions,
  checkSpeakOptions,
  type SpeakHandlerOptions,
} from '../speech/speak-options.ts'
import { speakCall } from '../speech/speak-call.ts'
import {
  openTaskAudio,
  PLAY_RESULT_RULES,
  type PlayResultHandlerOptions,
  type TaskAudio,
} from '../speech/task-audio.ts'
import type { Responder, ServerCall, ServerPort } from './port.ts'

/** Options of a handler that answers with the audio of any call. */
export interface AudioHandlerOptions<Context> extends CallHandlerOptions {
  /** Makes the call with these options. */
  readonly call: (context: Context, options: CallOptions) => Promise<AudioBody>
}

/**
 * Answers with speech, for the handlers of a framework.
 * @param caller The function that got the options, for messages.
 * @throws ConfigurationError here, naming a wrong option
 */
export function speakResponder<Given, Context, Format extends string = string>(
  caller: string,
  options: SpeakHandlerOptions<Context, Format>,
  port: ServerPort<Given, Context>,
): Responder<Given, Context> {
  const checked = checkSpeakOptions(options, caller)
  return billable(port, options, async (call, callOptions) => {
    const cancel = new AbortController()
    const signal = AbortSignal.any([call.signal, cancel.signal])
    const outcome = await speakCall(checked, {
      context: call.context,
      options: { ...callOptions, signal },
      text: () => port.text(call.given),
      logger: call.log.logger,
    })
    if (outcome.respond === 'audio') return audioResponse(outcome.audio, call)
    if (outcome.respond === 'pcm') return pcmResponse(outcome.speech, call.signal)
    if (outcome.respond === 'task') return taskResponse(outcome.task.creation)
    const { response, ended } = eventsResponse(outcome.speech.events(), (reason) => cancel.abort(reason))
    // The end of the connection is no news: the response knows of it.
    ended.catch((error: unknown) => signal.aborted || call.failLate(error))
    return response
  })
}

/**
 * Answers with the audio of any call, for the handlers of a framework.
 * @param caller The function that got the options, for messages.
 * @throws ConfigurationError here, naming a wrong option
 */
export function audioResponder<Given, Context>(
  caller: string,
  options: AudioHandlerOptions<Context>,
  port: ServerPort<Given, Context>,
): Responder<Given, Context> {
  checkOptions(caller, options, { ...CALL_RULES, call: callback })
  return billable(port, options, async (call, callOptions) =>
    audioResponse(await options.call(call.context, callOptions), call),
  )
}

/**
 * Serves the audio of a finished task, for the handlers of a framework.
 * @param caller The function that got the options, for messages.
 * @throws ConfigurationError here, naming a wrong option
 */
export function playResultResponder<Given, Context>(
  caller: string,
  options: PlayResultHandlerOptions<Context>,
  port: ServerPort<Given, Context>,
): Responder<Given, Context> {
  checkOptions(caller, options, PLAY_RESULT_RULES)
  return failing(options, async (call, callOptions) => {
    const { given, context } = call
    const header = (name: string): string | undefined => port.header(given, name)
    const request = { context, options: callOptions, header, taskId: () => port.taskId(given) }
    const found = await openTaskAudio(options, request)
    if (port.method(given) === 'HEAD') return headResponse(found)
    return audioResponse(found.audio, { signal: call.signal, status: found.status, headers: found.headers })
  })
}

function headResponse({ audio, status, headers }: TaskAudio): Response {
  audio.cancel()
  return new Response(null, { status, headers: { ...audioHeaders(audio), ...headers } })
}

type Work<Given, Context> = (call: ServerCall<Given, Context>, options: CallOptions) => Promise<Response>

/** Only the billable call tells the type of the audio, so `HEAD` is answered without it. */
function billable<Given, Context>(
  port: ServerPort<Given, Context>,
  options: CallHandlerOptions,
  work: Work<Given, Context>,
): Responder<Given, Context> {
  return failing(options, async (call, callOptions) =>
    port.method(call.given) === 'HEAD' ? new Response(null) : work(call, callOptions),
  )
}

function failing<Given, Context>(
  { timeout, maxRetries = 0 }: CallHandlerOptions,
  work: Work<Given, Context>,
): Responder<Given, Context> {
  return async (call) => {
    try {
      const { signal } = call
      return await work(call, { signal, maxRetries, ...(timeout === undefined ? {} : { timeout }) })
    } catch (error) {
      throw toGatewayError(error)
    }
  }
}
