import { ConfigurationError } from '@svc-audio/core'
import type { InteropZodObject } from '@langchain/core/utils/types'
import { findOptionFault, methods, optional } from '#options'
import { checkToolkit, type SpeechToolkit } from '../speech-toolkit.ts'

/** Options of the middleware. */
export interface SpeechMiddlewareOptions<Context extends InteropZodObject | undefined = undefined> {
  /**
   * The part of the agent's `contextSchema` that `forRun` of the toolkit reads. LangChain shows a middleware only the
   * fields that its own schema names. Required if the toolkit has `forRun`.
   */
  readonly contextSchema?: Context
}

/**
 * Checks the toolkit and the options of a middleware.
 * @param owner The function, such as `voiceInputMiddleware()`.
 * @throws ConfigurationError naming the option
 */
export function checkMiddleware<Context extends InteropZodObject | undefined>(
  owner: string,
  toolkit: SpeechToolkit,
  options: SpeechMiddlewareOptions<Context>,
): void {
  checkToolkit(toolkit)
  const fault = findOptionFault(options, { contextSchema: optional(methods('parse')) }, owner)
  if (fault !== undefined) throw new ConfigurationError(fault.message)
  if (!toolkit.needsContext || options.contextSchema !== undefined) return
  throw new ConfigurationError(
    `${owner}: the toolkit has \`forRun\`, so \`contextSchema\` must name the fields of the context that it reads, e.g. { contextSchema: z.object({ userId: z.string() }) }. LangChain shows a middleware no other field`,
  )
}
