import type { CallbackManagerForToolRun } from '@langchain/core/callbacks/manager'
import type { ToolRunnableConfig } from '@langchain/core/tools'
import type { SpeechToolProgress, ToolCallContext } from '@svc-audio/agent-tools'
import { runOf, userTextsOf } from './run-of.ts'

/** The part of a tool's run manager that is used. */
export type ToolRun = Pick<CallbackManagerForToolRun, 'handleCustomEvent'>

/** Name of the custom event in `streamEvents` that carries the progress of a call. */
export const PROGRESS_EVENT = 'svc_audio_progress'

/** Converts the context of LangChain and LangGraph for operations. */
export function callContext(run: ToolRun | undefined, config: ToolRunnableConfig | undefined): ToolCallContext {
  return {
    signal: config?.signal,
    context: config?.context,
    run: runOf(config),
    userTexts: () => userTextsOf(config),
    onProgress: (progress) => report(progress, run, config),
  }
}

/** Feeds stream mode `custom` and `streamEvents`. */
function report(progress: SpeechToolProgress, run: ToolRun | undefined, config: ToolRunnableConfig | undefined): void {
  const writer: unknown = config === undefined ? undefined : Reflect.get(config, 'writer')
  // A closed stream must not end the call.
  try {
    if (typeof writer === 'function') writer(progress)
  } catch {}
  run?.handleCustomEvent(PROGRESS_EVENT, progress)?.catch(() => {})
}
