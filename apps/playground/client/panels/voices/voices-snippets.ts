import type { Snippet } from '../../code/snippet.ts'
import { compareSnippets } from './code/compare.ts'
import { designSnippets } from './code/design.ts'
import { listSnippets } from './code/list.ts'
import { recordSnippets } from './code/record.ts'
import type { VoicesDraft } from './draft.ts'

const SNIPPETS = { list: listSnippets, record: recordSnippets, design: designSnippets, compare: compareSnippets }

/** Code that does what the open view does. */
export function voicesSnippets(draft: VoicesDraft): readonly Snippet[] {
  return SNIPPETS[draft.view](draft)
}
