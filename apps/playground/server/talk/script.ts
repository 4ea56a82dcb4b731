import { type BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { ScriptedTurn } from './scripted-model.ts'

/** Name of the tool that the script calls. */
export const CLOCK = 'clock'

const STORY =
  'Once there was a small house at the end of a long road. An old man lived there with a dog. ' +
  'Each morning they walked down to the river and looked at the boats. ' +
  'One day a boat stopped, and a young woman asked for the way to the town. ' +
  'The old man showed her the road, and the dog went with her until she saw the lights. ' +
  'That was a good day, said the old man.'

/** The script of the agent: it tells the time with a tool, tells a story to speak into, and else repeats what it heard. */
export function script(messages: readonly BaseMessage[]): ScriptedTurn {
  const last = messages.at(-1)
  const text = last?.text ?? ''
  if (ToolMessage.isInstance(last)) return { text: `It is ${text}.` }
  if (/\b(?:time|clock)\b/i.test(text)) return { tool: CLOCK }
  if (/\b(?:story|tell)\b/i.test(text)) return { text: STORY }
  if (/\b(?:stop|thanks?)\b/i.test(text)) return { text: 'All right.' }
  return { text: `I heard: ${text}. Ask me for the time, or for a story.` }
}
