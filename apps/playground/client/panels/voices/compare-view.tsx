import { type ReactElement, useState } from 'react'
import { Facts } from '../../components/facts.tsx'
import { PlayerBar } from '../../components/player-bar.tsx'
import { RunButton } from '../../components/run-button.tsx'
import { FailureBox } from '../../components/states.tsx'
import { StatusLine } from '../../components/status-line.tsx'
import { Counter, TextArea } from '../../components/text-area.tsx'
import { useMediaPlayer, usePlayerState } from '../../components/use-media-player.ts'
import { formatMs, formatSeconds } from '../../lib/format.ts'
import { useRun } from '../../shell/keys.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { VoicePicker } from '../../voices/voice-picker.tsx'
import { useJob } from './use-job.ts'
import type { ViewProps } from './view-props.ts'

interface Spoken {
  readonly audio: Blob
  readonly ms: number
}

/** One text in two voices. */
export function CompareView({ draft, onChange, active }: ViewProps): ReactElement {
  const { client } = usePanel()
  const job = useJob()
  const [spoken, setSpoken] = useState<readonly [Spoken, Spoken]>()
  const { compareText: input, first, second } = draft
  const ready = input.trim() !== '' && first !== '' && second !== ''
  const compare = (): void =>
    job.run(async (signal) => {
      const speak = async (voice_id: string): Promise<Spoken> => {
        const began = performance.now()
        const body = { model: 'svc-tts-1.5-flash', input, voice_id, response_format: 'wav' } as const
        const speech = await client.speech.create(body, { signal })
        const audio = new Blob([await speech.bytes()], { type: speech.contentType })
        return { audio, ms: performance.now() - began }
      }
      // One after the other: each time is then its own.
      setSpoken([await speak(first), await speak(second)])
      return 'Both voices are ready.'
    })
  useRun(active && ready && !job.busy, compare)
  const change = (next: Partial<typeof draft>): void => {
    setSpoken(undefined)
    onChange({ ...draft, ...next })
  }
  return (
    <>
      <section className="editor" aria-label="Text of both voices">
        <TextArea value={input} onChange={(compareText) => change({ compareText })} />
        <div className="editor-foot">
          <Counter text={input} />
          <RunButton busy={job.busy} label="Compare" ready={ready} onRun={compare} onStop={job.stop} hint />
        </div>
      </section>
      <FailureBox failure={job.failure} onRetry={compare} />
      <StatusLine text={job.status} />
      <div className="compare-pair">
        <Side label="First voice" voice={first} spoken={spoken?.[0]} onVoice={(voice) => change({ first: voice })} />
        <Side label="Second voice" voice={second} spoken={spoken?.[1]} onVoice={(voice) => change({ second: voice })} />
      </div>
    </>
  )
}

function Side(props: {
  readonly label: string
  readonly voice: string
  readonly spoken: Spoken | undefined
  readonly onVoice: (voice: string) => void
}): ReactElement {
  const { label, voice, spoken, onVoice } = props
  const player = useMediaPlayer(spoken?.audio)
  const { duration } = usePlayerState(player)
  return (
    <section className="card" aria-label={label}>
      <VoicePicker label={label} value={voice} onChange={onVoice} />
      <PlayerBar player={player} label={`the ${label.toLowerCase()}`} compact />
      <Facts
        facts={[
          { name: 'Length', value: duration === 0 ? undefined : formatSeconds(duration) },
          { name: 'Time', value: spoken === undefined ? undefined : formatMs(spoken.ms) },
        ]}
      />
    </section>
  )
}
