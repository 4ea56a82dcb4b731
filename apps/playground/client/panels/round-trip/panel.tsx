import type { ReactElement } from 'react'
import { roundTripSnippets } from '../../code/round-trip-snippets.ts'
import { Compared } from '../../compare/compared.tsx'
import { SelectField } from '../../components/field.tsx'
import { RunButton } from '../../components/run-button.tsx'
import { Empty, FailureBox } from '../../components/states.tsx'
import { StatusLine } from '../../components/status-line.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Counter, TextArea } from '../../components/text-area.tsx'
import { UploadProgress } from '../../components/upload-progress.tsx'
import { formatMs, formatPercent } from '../../lib/format.ts'
import { useStored } from '../../lib/stored.ts'
import { useRun } from '../../shell/keys.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { defaultOf, useVoices } from '../../voices/use-voices.ts'
import { VoicePicker } from '../../voices/voice-picker.tsx'
import { FIRST_DRAFT, type RoundTripDraft } from './round-trip.ts'
import { TripPlayer } from './trip-player.tsx'
import { type RoundTripsControl, type Trip, useRoundTrips } from './use-round-trips.ts'
import './round-trip.css'

const MODELS = [
  { value: 'svc-transcribe-1.0', label: 'svc-transcribe-1.0' },
  { value: 'svc-transcribe-diarize-pro', label: 'svc-transcribe-diarize-pro' },
] as const

/** Speaks a text, transcribes the speech, and counts the wrong words. */
export function Panel(): ReactElement {
  const { active } = usePanel()
  const [stored, setDraft] = useStored<RoundTripDraft>('round-trip', FIRST_DRAFT)
  const voices = useVoices()
  const draft = { ...stored, voice: stored.voice || defaultOf(voices) }
  const control = useRoundTrips()
  const { running, trips, run, stop, failure } = control
  const ready = draft.text.trim() !== '' && draft.voice !== ''
  const runOne = (): void => run(draft, [draft.voice])
  useRun(active && ready && running === undefined, runOne)
  return (
    <PanelFrame
      title="Round trip"
      about="Speak a text, transcribe the speech, and count the wrong words."
      settings={
        <>
          <VoicePicker value={draft.voice} onChange={(voice) => setDraft({ ...draft, voice })} />
          <SelectField
            label="Transcription model"
            value={draft.model}
            options={MODELS}
            onChange={(model) => setDraft({ ...draft, model })}
          />
        </>
      }
      code={() => roundTripSnippets(draft)}
    >
      <Editor draft={draft} onChange={setDraft}>
        <RunningText control={control} />
        <button
          type="button"
          className="button"
          disabled={!ready || running !== undefined || voices.data === undefined}
          onClick={() => run(draft, voices.data?.map(({ id }) => id) ?? [])}
        >
          Compare all voices
        </button>
        <RunButton busy={running !== undefined} label="Run" ready={ready} onRun={runOne} onStop={stop} />
      </Editor>
      <FailureBox failure={failure} onRetry={runOne} />
      {trips.length === 0 ? (
        <Empty icon="loop" title="No round trip yet">
          The result shows each wrong word beside the spoken one.
        </Empty>
      ) : (
        <Table label="Round trips" columns={COLUMNS} rows={trips} keyOf={({ id }) => id} />
      )}
    </PanelFrame>
  )
}

const COLUMNS: readonly Column<Trip>[] = [
  { title: 'Voice', cell: ({ voice }) => voice },
  {
    title: 'Heard',
    cell: (trip) => (
      <div className="trip">
        <p>
          {trip.heard === '' ? <span className="faint">No speech</span> : <Compared comparison={trip.comparison} />}
        </p>
        <TripPlayer trip={trip} />
      </div>
    ),
  },
  {
    title: 'Word error rate',
    numeric: true,
    cell: ({ comparison: { rate } }) => (
      <strong data-tone={rate <= 0.15 ? 'good' : 'bad'}>{formatPercent(rate)}</strong>
    ),
  },
  { title: 'Speak', numeric: true, wide: true, cell: ({ speakMs }) => formatMs(speakMs) },
  { title: 'Transcribe', numeric: true, wide: true, cell: ({ transcribeMs }) => formatMs(transcribeMs) },
]

function Editor(props: {
  readonly draft: RoundTripDraft
  readonly onChange: (draft: RoundTripDraft) => void
  readonly children: React.ReactNode
}): ReactElement {
  const { draft, onChange, children } = props
  return (
    <section className="editor" aria-label="Text of the round trip">
      <TextArea value={draft.text} onChange={(text) => onChange({ ...draft, text })} />
      <div className="editor-foot">
        <Counter text={draft.text} />
        {children}
      </div>
    </section>
  )
}

/** What runs, or how the last round trip ended. */
function RunningText({ control }: { readonly control: RoundTripsControl }): ReactElement {
  const { log } = usePanel()
  const { running } = control
  if (running?.step.name !== 'transcribing') return <StatusLine text={statusOf(control)} />
  const { voice, step } = running
  return (
    <UploadProgress key={voice} log={log} name="the speech" size={step.audio.size} next={`${voice}: transcribing`} />
  )
}

function statusOf({ running, trips }: RoundTripsControl): string {
  if (running !== undefined) return `${running.voice}: ${running.step.name} …`
  const [latest] = trips
  return latest === undefined ? '' : `${latest.voice}: ${formatPercent(latest.comparison.rate)} wrong.`
}
