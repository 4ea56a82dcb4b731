import { type ReactElement, useState } from 'react'
import { Facts } from '../../components/states.tsx'
import { Counter, Editor, TextArea } from '../../components/form.tsx'
import { PlayerBar, useMediaPlayer, usePlayerState } from '../../components/player-bar.tsx'
import { blobOf } from '../../lib/client.ts'
import { formatMs, formatSeconds } from '../../lib/format.ts'
import { useJob } from '../../lib/calls.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { VoicePicker } from '../../voices/voice-picker.tsx'
import type { ViewProps, VoicesDraft } from './draft.ts'

interface Spoken {
  readonly audio: Blob
  readonly ms: number
}

/** One text in two voices. */
export function CompareView({ draft, change, active }: ViewProps): ReactElement {
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
        const audio = await blobOf(await client.speech.create(body, { signal }))
        return { audio, ms: performance.now() - began }
      }
      // One after the other: each time is then its own.
      setSpoken([await speak(first), await speak(second)])
      return 'Both voices are ready.'
    })
  const changeAll = (next: Partial<VoicesDraft>): void => {
    setSpoken(undefined)
    change(next)
  }
  const run = { action: 'Compare', job, active, ready, onRun: compare, foot: <Counter text={input} />, hint: true }
  return (
    <>
      <Editor label="Text of both voices" {...run}>
        <TextArea value={input} onChange={(compareText) => changeAll({ compareText })} />
      </Editor>
      <div className="pair">
        <Side label="First voice" voice={first} spoken={spoken?.[0]} onVoice={(id) => changeAll({ first: id })} />
        <Side label="Second voice" voice={second} spoken={spoken?.[1]} onVoice={(id) => changeAll({ second: id })} />
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
