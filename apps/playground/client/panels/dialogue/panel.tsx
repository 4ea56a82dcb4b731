import type { ReactElement } from 'react'
import { RunButton } from '../../components/button.tsx'
import { DownloadButton } from '../../components/download-button.tsx'
import { Facts } from '../../components/facts.tsx'
import { Editor } from '../../components/form.tsx'
import { PlayerBar } from '../../components/player-bar.tsx'
import { FailureBox, StatusLine } from '../../components/states.tsx'
import { formatBytes, formatMs } from '../../lib/format.ts'
import { useStored } from '../../lib/stored.ts'
import { useRun } from '../../shell/keys.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { DialogueSettings } from './dialogue-settings.tsx'
import { dialogueSnippets } from './dialogue-snippets.ts'
import { LineList } from './line-list.tsx'
import { FIRST_SCRIPT, isEmpty, type Script } from './script.ts'
import { type DialogueControl, useDialogue } from './use-dialogue.ts'
import './dialogue.css'

/** Speech of several speakers. */
export function Panel(): ReactElement {
  const { active } = usePanel()
  const [script, setScript] = useStored<Script>('dialogue', FIRST_SCRIPT)
  const control = useDialogue()
  const { busy, take, failure, speak, speakLine, stop } = control
  const empty = isEmpty(script)
  const speakAll = (): void => speak(script)
  useRun(active && !empty, speakAll)
  const foot = (
    <>
      <span className="counter">
        {script.lines.length} {script.lines.length === 1 ? 'line' : 'lines'}. Enter adds one, Alt and an arrow key moves
        it.
      </span>
      <RunButton busy={busy !== undefined} label="Speak all" ready={!empty} onRun={speakAll} onStop={stop} />
    </>
  )
  return (
    <PanelFrame
      title="Dialogue"
      about="Let several voices speak one script, in one file."
      settings={<DialogueSettings script={script} onChange={setScript} />}
      code={() => dialogueSnippets(script)}
    >
      <Editor label="Dialogue" foot={foot}>
        <LineList script={script} onChange={setScript} busy={busy} onSpeakLine={(line) => speakLine(script, line)} />
      </Editor>
      <FailureBox failure={failure} onRetry={() => control.retry(script)} />
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
