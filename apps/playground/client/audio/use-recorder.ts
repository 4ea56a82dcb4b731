import { useEffect, useRef, useState } from 'react'
import { type Level, SILENCE } from './level.ts'
import { microphoneFault, type Microphones, useMicrophones } from './microphone.ts'
import { MAX_RECORDING_SECONDS, Recording, type RecordingOptions } from './recorder.ts'
import { useLatest, useStop } from '../shell/panel-context.ts'

/** The microphone and its actions. */
export interface RecorderControl extends Pick<Microphones, 'devices' | 'device' | 'choose'> {
  /** `review`: the recording is complete, and neither sent nor discarded. */
  readonly phase: 'idle' | 'recording' | 'review'
  readonly level: Level
  readonly seconds: number
  /** The complete recording, a WAV. */
  readonly recording: Blob | undefined
  readonly error: string | undefined
  readonly start: () => void
  /** Ends the recording. */
  readonly finish: () => void
  /** Removes the recording, also a running one. */
  readonly discard: () => void
}

/**
 * Records from the microphone. The recording stays here until it is sent or discarded.
 * @param onPiece See {@link RecordingOptions}.
 */
export function useRecorder(onPiece?: RecordingOptions['onPiece']): RecorderControl {
  const { devices, device, choose: remember, name } = useMicrophones()
  const latest = useLatest(onPiece)
  const [phase, setPhase] = useState<RecorderControl['phase']>('idle')
  const [heard, setHeard] = useState({ level: SILENCE, seconds: 0 })
  const [recording, setRecording] = useState<Blob>()
  const [error, setError] = useState<string>()
  const current = useRef<Promise<Recording>>(undefined)

  const end = async (): Promise<Blob | undefined> => {
    const running = current.current
    current.current = undefined
    // A failed start has already set the error.
    return running?.then((begun) => begun.finish()).catch(() => undefined)
  }
  const finish = (): void => {
    setPhase('review')
    void end().then((wav) => wav !== undefined && setRecording(wav))
  }
  const discard = (): void => {
    setPhase('idle')
    setRecording(undefined)
    void end()
  }
  const start = (): void => {
    setError(undefined)
    setRecording(undefined)
    setHeard({ level: SILENCE, seconds: 0 })
    setPhase('recording')
    const begun = Recording.begin({
      device,
      onPiece: (wav) => latest.current?.(wav),
      onLevel: (level, seconds) => {
        if (current.current !== begun) return
        setHeard({ level, seconds })
        if (seconds >= MAX_RECORDING_SECONDS) finish()
      },
    })
    current.current = begun
    begun.then(name).catch((reason: unknown) => {
      if (current.current !== begun) return
      current.current = undefined
      setPhase('idle')
      setError(microphoneFault(reason))
    })
  }
  const choose = (id: string): void => {
    setError(undefined)
    remember(id)
    current.current?.then((running) => running.use(id)).catch((reason: unknown) => setError(microphoneFault(reason)))
  }
  const latestEnd = useLatest(end)
  useStop(phase === 'recording', finish)
  useEffect(() => () => void latestEnd.current(), [latestEnd])
  const { level, seconds } = heard
  return { phase, level, seconds, recording, error, devices, device, choose, start, finish, discard }
}
