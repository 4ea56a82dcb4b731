import { AIMessage } from '@langchain/core/messages'
import type { InteropZodObject } from '@langchain/core/utils/types'
import { describeFailure, type SpeakArtifact, type SpeechToolFailure, toSpeechToolError } from '@svc-audio/agent-tools'
import { splitText, withoutReasoning } from '@svc-audio/text'
import { type AgentMiddleware, createMiddleware } from 'langchain'
import { z } from 'zod'
import { runOf } from '../run-of.ts'
import type { SpeechToolkit } from '../speech-toolkit.ts'
import { checkMiddleware, type SpeechMiddlewareOptions } from './run-schema.ts'

/** Events of a spoken answer in stream mode `custom`. */
export type SpokenAnswerEvent =
  | {
      readonly type: 'spoken_answer'
      /** A piece of the answer, stored. */
      readonly audio: SpeakArtifact
    }
  | {
      readonly type: 'spoken_answer_failed'
      /** Why the rest of the answer is not spoken. */
      readonly failure: SpeechToolFailure
    }

/** State that the middleware adds to the agent. */
export type SpokenAnswerState = z.ZodObject<{
  /** The audio of the last answer, in order. */
  spokenAnswer: z.ZodOptional<z.ZodCustom<readonly SpeakArtifact[], readonly SpeakArtifact[]>>
}>

const stateSchema: SpokenAnswerState = z.object({ spokenAnswer: z.custom<readonly SpeakArtifact[]>().optional() })

/**
 * Speaks the agent's final answer into the store. `spokenAnswer` of the result names the audio, in order: one piece
 * unless the answer is longer than `maxCharacters`. A failure ends the speaking, never the run: the written answer stays.
 * @throws ConfigurationError unless it gets a toolkit, and for a toolkit with `forRun` a `contextSchema`
 */
export function spokenAnswerMiddleware<Context extends InteropZodObject | undefined = undefined>(
  toolkit: SpeechToolkit,
  options: SpeechMiddlewareOptions<Context> = {},
): AgentMiddleware<SpokenAnswerState, Context> {
  checkMiddleware('spokenAnswerMiddleware()', toolkit, options)
  const { contextSchema } = options
  return createMiddleware({
    name: 'SpokenAnswer',
    stateSchema,
    ...(contextSchema === undefined ? {} : { contextSchema }),
    afterAgent: async ({ messages }, { signal, context, writer, configurable }) => {
      const answer = messages.findLast((message) => AIMessage.isInstance(message))
      const run = runOf({ configurable, context, state: { messages } })
      const spokenAnswer: SpeakArtifact[] = []
      const tell = (event: SpokenAnswerEvent): void => writer?.(event)
      try {
        for (const text of pieces(withoutReasoning(answer?.text ?? ''), toolkit.maxCharacters)) {
          const audio = await toolkit.speakText(text, { signal, context, run })
          spokenAnswer.push(audio)
          tell({ type: 'spoken_answer', audio })
        }
      } catch (error) {
        signal?.throwIfAborted()
        tell({ type: 'spoken_answer_failed', failure: describeFailure(toSpeechToolError(error)) })
      }
      return { spokenAnswer }
    },
  })
}

function pieces(text: string, maxCharacters: number): readonly string[] {
  if (text.trim() === '') return []
  return text.length <= maxCharacters ? [text] : splitText(text, { maxCharacters: Math.max(32, maxCharacters) })
}
