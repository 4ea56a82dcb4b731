import type { ReactElement } from 'react'
import { Button, DownloadButton, IconButton } from '../../components/button.tsx'
import { Facts, StatusLine } from '../../components/states.tsx'
import { Editor, FormatField } from '../../components/form.tsx'
import { PlayerBar } from '../../components/player-bar.tsx'
import { formatBytes, formatMs } from '../../lib/format.ts'
import { useStored } from '../../lib/store.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { dialogueSnippets } from './dialogue-snippets.ts'
import { LineList } from './line-list.tsx'
import {
  addSpeaker,
  FIRST_SCRIPT,
  isEmpty,
  MAX_SPEAKERS,
  removeSpeaker,
  type Script,
  type ScriptProps,
} from './script.ts'
import { type DialogueControl, useDialogue } from './use-dialogue.ts'
import { useVoices } from '../../voices/use-voices.ts'
import { VoicePicker } from '../../voices/voice-picker.tsx'
import './dialogue.css'

/** Speech of several speakers. */
export function Panel(): ReactElement {
  const [script, setScript] = useStored<Script>('dialogue', FIRST_SCRIPT)
  const control = useDialogue()
  const { busy, take, failure, speak, speakLine, stop } = control
  const empty = isEmpty(script)
  const speakAll = (): void => speak(script)
  const foot = (
    <span className="hint">
      {script.lines.length} {script.lines.length === 1 ? 'line' : 'lines'}. Enter adds one, Alt and an arrow key moves
      it.
    </span>
  )
  const run = { action: 'Speak all', job: { busy: busy !== undefined, stop, failure }, ready: !empty, onRun: speakAll }
  return (
    <PanelFrame
      title="Dialogue"
      about="Let several voices speak one script, in one file."
      settings={<DialogueSettings script={script} onChange={setScript} />}
      code={() => dialogueSnippets(script)}
    >
      <Editor label="Dialogue" foot={foot} {...run} onRetry={() => control.retry(script)}>
        <LineList script={script} onChange={setScript} busy={busy} onSpeakLine={(line) => speakLine(script, line)} />
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

function statusOf({ busy, take }: DialogueControl): string {
  if (busy !== undefined) return busy === 'script' ? 'Speaking the script …' : 'Speaking the line …'
  if (take === undefined) return 'Nothing spoken yet.'
  return take.of === 'script'
    ? `Complete: ${take.lines} ${take.lines === 1 ? 'line' : 'lines'}.`
    : 'Complete: one line.'
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
