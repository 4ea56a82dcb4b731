import type { PureAudioClient } from '@svc-audio/core/pure'
import { type ReactElement, useCallback, useRef, useState } from 'react'
import { MediaPlayer } from '../../audio/player.ts'
import { HistoryList } from '../../components/lists.tsx'
import { TakeRow } from '../../components/take-row.tsx'
import { failureOf, type Job, useJob } from '../../lib/calls.ts'
import { blobOf, storeAudio } from '../../lib/client.ts'
import { formatTime } from '../../lib/format.ts'
import { useLeaveQuestion } from '../../lib/hooks.ts'
import {
  isTask,
  LONG_CHARACTERS,
  makeInTask,
  OpenTake,
  type Take,
  type TakesControl,
  useTakes,
} from '../../lib/takes.ts'
import { usePanel, useStop } from '../../shell/panel-context.ts'
import { dialogueBody, type Script } from './script.ts'

/** What was asked for: a script, or one of its lines. */
interface DialogueDraft {
  readonly script: Script
  /** Key of the line. Absent for the whole script. */
  readonly line?: number
}

type DialogueTake = Take<DialogueDraft>

const NONE: readonly DialogueTake[] = []

/** What the panel does with its dialogues. */
interface DialogueControl extends Pick<TakesControl<DialogueDraft>, 'takes' | 'soundOf' | 'remove'> {
  readonly job: Pick<Job, 'busy' | 'stop' | 'failure'>
  /** What is made now. */
  readonly making: DialogueDraft | undefined
  readonly speak: (draft: DialogueDraft) => void
  /** Makes a take again that has failed. */
  readonly retry: (take: DialogueTake) => void
  /** Makes again what failed last, with the present text: the script, or the line if it is still there. */
  readonly retryWith: (script: Script) => void
}

/** Makes one audio at a time: of the script, or of one line in the voice of its speaker. */
export function useDialogue(): DialogueControl {
  const { client } = usePanel()
  const { busy, stop: abort, failure, run } = useJob()
  const { takes, soundOf, add, update, remove } = useTakes('dialogues', NONE, isTask)
  const [making, setMaking] = useState<DialogueDraft>()
  const stopped = useRef(false)
  /** Whether the audio that is made ends with the page. */
  const [isHeld, setHeld] = useState(false)
  useLeaveQuestion(isHeld)
  const stop = useCallback(() => {
    stopped.current = true
    abort()
  }, [abort])
  useStop(busy, stop)

  const speak = (draft: DialogueDraft): void => {
    const began = performance.now()
    stopped.current = false
    const made = new OpenTake<DialogueDraft>({ add, update, remove }, draft)
    made.show()
    setMaking(draft)
    setHeld(true)
    run(async (signal) => {
      try {
        const blob = await make(client, draft, signal, (id) => {
          made.show({ id })
          setHeld(false)
        })
        const player = new MediaPlayer(blob)
        const totalMs = performance.now() - began
        made.show({ end: 'complete', bytes: blob.size, totalMs }, { player, file: () => blob })
        // The browser may refuse the format. The player says so when it is pressed.
        await Promise.all([player.play().catch(() => {}), storeAudio(made.take.id, blob)])
        return ''
      } catch (error) {
        if (stopped.current) made.drop()
        else made.fail(signal.aborted ? REPLACED : failureOf(error).message)
        throw error
      } finally {
        made.close()
        if (!signal.aborted || stopped.current) {
          setMaking(undefined)
          setHeld(false)
        }
      }
    })
  }
  const retry = (take: DialogueTake): void => {
    remove(take.id)
    speak(take.draft)
  }
  const retryWith = (script: Script): void => {
    const [last] = takes
    if (last?.end === 'failed') remove(last.id)
    const line = script.lines.find(({ key }) => key === last?.draft.line)
    speak(line === undefined ? { script } : { script, line: line.key })
  }
  return {
    job: { busy, stop, failure },
    takes,
    soundOf,
    remove,
    speak,
    retry,
    retryWith,
    making: busy ? making : undefined,
  }
}

/** Makes the audio. @param onTask A long one has a task, which continues without the page. */
async function make(
  client: PureAudioClient,
  draft: DialogueDraft,
  signal: AbortSignal,
  onTask: (id: string) => void,
): Promise<Blob> {
  const body = dialogueBody(scriptOf(draft))
  const characters = body.segments.reduce((sum, { text }) => sum + text.length, 0)
  if (characters < LONG_CHARACTERS) return blobOf(await client.dialogue.create(body, { signal }))
  return makeInTask({ client, signal, create: () => client.dialogue.createTask(body, { signal }), onTask })
}

const REPLACED = 'Another dialogue was begun before it was complete.'

/** The script with the lines that are spoken. */
function scriptOf({ script, line }: DialogueDraft): Script {
  const lines = script.lines.filter(({ key }) => key === line)
  return line === undefined ? script : { ...script, lines }
}

/** The name of the file. */
export function fileNameOf({ script }: DialogueDraft): string {
  return `dialogue.${script.format}`
}

/** Lines that are spoken. */
export function lineCount(draft: DialogueDraft): number {
  return dialogueBody(scriptOf(draft)).segments.length
}

/** What is made, or how the last one ended. */
export function statusOf(making: DialogueDraft | undefined, take: DialogueTake | undefined): string {
  if (making !== undefined) return making.line === undefined ? 'Speaking the script …' : 'Speaking the line …'
  if (take === undefined) return 'Nothing spoken yet.'
  if (take.end === 'open') return 'It is made by another tab, or by its task.'
  if (take.end !== 'complete') return `Not spoken. ${take.failure ?? ''}`.trim()
  if (take.draft.line !== undefined) return 'Complete: one line.'
  const lines = lineCount(take.draft)
  return `Complete: ${lines} ${lines === 1 ? 'line' : 'lines'}.`
}

/** Earlier dialogues. */
export function History(props: {
  readonly takes: readonly DialogueTake[]
  readonly control: DialogueControl
  readonly onReuse: (script: Script) => void
}): ReactElement {
  const { takes, control, onReuse } = props
  const rows = takes.map((take) => {
    const { id, draft, at, end } = take
    const [first] = dialogueBody(scriptOf(draft)).segments
    const lines = lineCount(draft)
    return {
      id,
      title: first?.text ?? 'Dialogue',
      note: `${formatTime(at / 1000)} · ${lines} ${lines === 1 ? 'line' : 'lines'}${NOTES[end]}`,
      children: (
        <TakeRow
          take={take}
          sound={control.soundOf(take)}
          label={`the dialogue of ${formatTime(at / 1000)}`}
          name={fileNameOf(draft)}
          onRetry={() => control.retry(take)}
          onReuse={() => onReuse(draft.script)}
        />
      ),
    }
  })
  return <HistoryList rows={rows} onRemove={control.remove} />
}

const NOTES: Readonly<Record<DialogueTake['end'], string>> = {
  open: ' · is made',
  complete: '',
  cut: ' · incomplete',
  failed: ' · not spoken',
}
