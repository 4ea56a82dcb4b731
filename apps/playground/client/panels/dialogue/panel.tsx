import { type ReactElement, useEffect, useState } from 'react'
import { MediaPlayer } from '../../audio/media-player.ts'
import { Button, DownloadButton, IconButton } from '../../components/button.tsx'
import { Facts, StatusLine } from '../../components/states.tsx'
import { Editor, FormatField } from '../../components/form.tsx'
import { PlayerBar } from '../../components/player-bar.tsx'
import { useJob } from '../../lib/calls.ts'
import { blobOf } from '../../lib/client.ts'
import { formatBytes, formatMs } from '../../lib/format.ts'
import { useStored } from '../../lib/store.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { dialogueSnippets } from './dialogue-snippets.ts'
import { LineList } from './line-list.tsx'
import {
  addSpeaker,
  dialogueBody,
  FIRST_SCRIPT,
  isEmpty,
  MAX_SPEAKERS,
  removeSpeaker,
  type Script,
  type ScriptLine,
  type ScriptProps,
} from './script.ts'
import { useVoices } from '../../voices/use-voices.ts'
import { VoicePicker } from '../../voices/voice-picker.tsx'
import './dialogue.css'

/** Speech of several speakers. */
export function Panel(): ReactElement {
  const [script, setScript] = useStored<Script>('dialogue', FIRST_SCRIPT)
  const control = useDialogue()
  const { making, take, speak } = control
  const foot = (
    <span className="hint">
      {script.lines.length} {script.lines.length === 1 ? 'line' : 'lines'}. Enter adds one, Alt and an arrow key moves
      it.
    </span>
  )
  const run = { action: 'Speak all', job: control.job, ready: !isEmpty(script) }
  return (
    <PanelFrame
      title="Dialogue"
      about="Let several voices speak one script, in one file."
      settings={<DialogueSettings script={script} onChange={setScript} />}
      code={() => dialogueSnippets(script)}
    >
      <Editor label="Dialogue" foot={foot} {...run} onRun={() => speak(script)} onRetry={() => control.retry(script)}>
        <LineList script={script} onChange={setScript} making={making} onSpeakLine={(line) => speak(script, line)} />
      </Editor>
      <section className="card" aria-label="Audio">
        <StatusLine text={statusOf(control)} />
        <PlayerBar player={take?.player} label="the dialogue">
          <DownloadButton file={take && (() => take.blob)} name={take?.fileName ?? 'dialogue.mp3'} small />
        </PlayerBar>
        {take !== undefined && (
          <Facts
            facts={[
              { name: 'Lines', value: String(take.lines) },
              { name: 'Complete', value: formatMs(take.totalMs) },
              { name: 'Received', value: formatBytes(take.blob.size) },
            ]}
          />
        )}
      </section>
    </PanelFrame>
  )
}

/** Makes one audio at a time: of the script, or of one line in the voice of its speaker. */
function useDialogue() {
  const { client } = usePanel()
  const { busy, stop, failure, run } = useJob()
  const [last, setLast] = useState<'script' | number>('script')
  const [take, setTake] = useState<DialogueTake>()
  useEffect(() => () => take?.player.close(), [take])

  const speak = (script: Script, line?: ScriptLine): void => {
    setLast(line?.key ?? 'script')
    const began = performance.now()
    run(async (signal) => {
      const body = dialogueBody(line === undefined ? script : { ...script, lines: [line] })
      const blob = await blobOf(await client.dialogue.create(body, { signal }))
      const player = new MediaPlayer(blob)
      const totalMs = performance.now() - began
      const lines = body.segments.length
      setTake({ player, blob, fileName: `dialogue.${script.format}`, totalMs, lines, isLine: line !== undefined })
      // The browser may refuse the format. The player says so when it is pressed.
      await player.play().catch(() => {})
      return ''
    })
  }
  /** Makes again what failed: the script, or the line if it is still there. */
  const retry = (script: Script): void =>
    speak(
      script,
      script.lines.find(({ key }) => key === last),
    )
  return { job: { busy, stop, failure }, take, speak, retry, making: busy ? last : undefined }
}

/** Audio that was made of a script. */
interface DialogueTake {
  readonly player: MediaPlayer
  readonly blob: Blob
  readonly fileName: string
  /** From the click to the last byte, in milliseconds. */
  readonly totalMs: number
  readonly lines: number
  /** Whether it is one line of the script. */
  readonly isLine: boolean
}

function statusOf({ making, take }: Pick<ReturnType<typeof useDialogue>, 'making' | 'take'>): string {
  if (making !== undefined) return making === 'script' ? 'Speaking the script …' : 'Speaking the line …'
  if (take === undefined) return 'Nothing spoken yet.'
  return take.isLine ? 'Complete: one line.' : `Complete: ${take.lines} ${take.lines === 1 ? 'line' : 'lines'}.`
}

/** The speakers with their voices, and the format. */
export function DialogueSettings({ script, onChange }: ScriptProps): ReactElement {
  const voices = useVoices()
  const { speakers, format } = script
  // The next speaker gets a voice that nobody has yet.
  const free = voices.data?.find(({ id }) => !speakers.some(({ voice }) => voice === id)) ?? voices.data?.[0]
  const setVoice = (id: string, voice: string): void =>
    onChange({ ...script, speakers: speakers.map((one) => (one.id === id ? { ...one, voice } : one)) })
  return (
    <>
      {speakers.map(({ id, voice }) => (
        <div key={id} className="row ends gap-1">
          <VoicePicker label={`Speaker ${id}`} value={voice} onChange={(chosen) => setVoice(id, chosen)} />
          <IconButton
            icon="trash"
            label={`Remove speaker ${id}`}
            disabled={speakers.length === 1}
            onClick={() => onChange(removeSpeaker(script, id))}
          />
        </div>
      ))}
      <Button
        icon="plus"
        look="small"
        disabled={speakers.length >= MAX_SPEAKERS || free === undefined}
        onClick={() => free !== undefined && onChange(addSpeaker(script, free.id))}
      >
        Add a speaker
      </Button>
      <FormatField
        value={format}
        onChange={(next) => onChange({ ...script, format: next })}
        hint="One file with all lines."
      />
    </>
  )
}
