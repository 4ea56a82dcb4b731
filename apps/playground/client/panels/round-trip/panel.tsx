import type { PureAudioClient } from '@svc-audio/core/pure'
import { type ReactElement, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Compared, compareTexts, type Comparison, ErrorRate } from '../../components/comparison.tsx'
import { Counter, Editor, named, SelectField, TextArea } from '../../components/form.tsx'
import { type Column, Table } from '../../components/lists.tsx'
import { PlayerBar, useMediaPlayer } from '../../components/player-bar.tsx'
import { Empty, StatusLine, UploadProgress } from '../../components/states.tsx'
import { useJob } from '../../lib/calls.ts'
import { blobOf } from '../../lib/client.ts'
import { formatMs, formatPercent } from '../../lib/format.ts'
import { useDraft } from '../../lib/store.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { useChosenVoice, useVoices } from '../../voices/use-voices.ts'
import { VoicePicker } from '../../voices/voice-picker.tsx'
import { FIRST_DRAFT, type RoundTripDraft, roundTripSnippets } from './snippets.ts'

/** Speaks a text, transcribes the speech, and counts the wrong words. */
export function Panel(): ReactElement {
  const [stored, change] = useDraft('round-trip', FIRST_DRAFT)
  const { data: voices } = useVoices()
  const voice = useChosenVoice(stored)
  const draft = { ...stored, voice }
  const control = useRoundTrips()
  const { job, trips, run } = control
  const ready = draft.text.trim() !== '' && voice !== ''
  const runOne = (): void => run(draft, [voice])
  const runAll = (): void => run(draft, voices?.map(({ id }) => id) ?? [])
  const foot = (
    <>
      <Counter text={draft.text} />
      <RunningText control={control} />
      <Button disabled={!ready || job.busy || voices === undefined} onClick={runAll}>
        Compare all voices
      </Button>
    </>
  )
  const settings = (
    <>
      <VoicePicker value={voice} onChange={(chosen) => change({ voice: chosen })} />
      <SelectField
        label="Transcription model"
        value={draft.model}
        options={named('svc-transcribe-1.0', 'svc-transcribe-diarize-pro')}
        onChange={(model) => change({ model })}
      />
    </>
  )
  return (
    <PanelFrame
      title="Round trip"
      about="Speak a text, transcribe the speech, and count the wrong words."
      settings={settings}
      code={() => roundTripSnippets(draft)}
    >
      <Editor label="Text of the round trip" action="Run" job={job} {...{ foot, ready }} onRun={runOne}>
        <TextArea value={draft.text} onChange={(text) => change({ text })} />
      </Editor>
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

/** Round trips in the list. Their audio is in memory. */
const MAX_TRIPS = 30

type Trip = RoundTrip & { readonly id: number }

/** Runs a round trip with each voice, one after another: parallel runs would distort the times. */
function useRoundTrips() {
  const { client } = usePanel()
  const { busy, stop, failure, run: start } = useJob()
  const [step, setStep] = useState<{ readonly voice: string; readonly step: Step }>()
  const [trips, setTrips] = useState<readonly Trip[]>([])
  const run = (draft: RoundTripDraft, voices: readonly string[]): void =>
    start(async (signal) => {
      for (const voice of voices) {
        const onStep = (next: Step): void => setStep({ voice, step: next })
        const trip = await makeRoundTrip(client, { ...draft, voice }, signal, onStep)
        setTrips((before) => [{ ...trip, id: (before[0]?.id ?? 0) + 1 }, ...before].slice(0, MAX_TRIPS))
      }
      return ''
    })
  return { job: { busy, stop, failure }, running: busy ? step : undefined, trips, run }
}

const COLUMNS: readonly Column<Trip>[] = [
  { title: 'Voice', cell: ({ voice }) => voice },
  { title: 'Heard', cell: (trip) => <Heard trip={trip} /> },
  { title: 'Word error rate', numeric: true, cell: ({ comparison }) => <ErrorRate comparison={comparison} /> },
  { title: 'Speak', numeric: true, wide: true, cell: ({ speakMs }) => formatMs(speakMs) },
  { title: 'Transcribe', numeric: true, wide: true, cell: ({ transcribeMs }) => formatMs(transcribeMs) },
]

function Heard({ trip: { id, voice, heard, comparison, audio } }: { readonly trip: Trip }): ReactElement {
  const player = useMediaPlayer(audio)
  return (
    <div className="grid gap-2">
      <p>{heard === '' ? <span className="faint">No speech</span> : <Compared comparison={comparison} />}</p>
      <PlayerBar player={player} label={`the speech of ${voice}, run ${id}`} compact />
    </div>
  )
}

/** What runs, or how the last round trip ended. */
function RunningText({ control }: { readonly control: ReturnType<typeof useRoundTrips> }): ReactElement {
  const { log } = usePanel()
  const { running } = control
  if (running?.step.name !== 'transcribing') return <StatusLine text={statusOf(control)} />
  const { voice, step } = running
  return (
    <UploadProgress key={voice} log={log} name="the speech" size={step.audio.size} next={`${voice}: transcribing`} />
  )
}

function statusOf({ running, trips }: ReturnType<typeof useRoundTrips>): string {
  if (running !== undefined) return `${running.voice}: ${running.step.name} …`
  const [latest] = trips
  return latest === undefined ? '' : `${latest.voice}: ${formatPercent(latest.comparison.rate)} wrong.`
}

/** A round trip that is complete. */
interface RoundTrip {
  readonly voice: string
  readonly said: string
  readonly heard: string
  /** A WAV. */
  readonly audio: Blob
  /** Milliseconds. */
  readonly speakMs: number
  /** Milliseconds. */
  readonly transcribeMs: number
  readonly comparison: Comparison
}

/** Part of a round trip that runs. The speech is uploaded to be transcribed. */
export type Step = { readonly name: 'speaking' } | { readonly name: 'transcribing'; readonly audio: Blob }

/**
 * Speaks a text, transcribes the audio, and compares.
 * @throws errors of the client
 */
export async function makeRoundTrip(
  client: PureAudioClient,
  { text, voice, model }: RoundTripDraft,
  signal: AbortSignal,
  onStep: (step: Step) => void,
): Promise<RoundTrip> {
  const began = performance.now()
  onStep({ name: 'speaking' })
  const body = { model: 'svc-tts-1.5-flash', input: text, voice_id: voice, response_format: 'wav' } as const
  const audio = await blobOf(await client.speech.create(body, { signal }))
  const spoken = performance.now()
  onStep({ name: 'transcribing', audio })
  const file = { data: audio, name: 'round-trip.wav' }
  const { text: heard } = await client.transcriptions.create({ model, file }, { signal })
  const comparison = compareTexts(text, heard)
  const transcribeMs = performance.now() - spoken
  return { voice, said: text, heard, audio, speakMs: spoken - began, transcribeMs, comparison }
}
