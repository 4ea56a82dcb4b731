import { useState } from 'react'
import { useShared } from '../lib/store.ts'

/** The microphones, and the one of the user's choice: the same for all panels. */
export interface Microphones {
  /** The microphones, once the browser names them: while one is open. */
  readonly devices: readonly MediaDeviceInfo[]
  /** Id of the chosen microphone. Empty for the browser's choice. */
  readonly device: string
  readonly choose: (device: string) => void
  /** Reads the names again. Call it when a microphone is open. */
  readonly name: () => Promise<void>
}

/** The microphones of this computer. */
export function useMicrophones(): Microphones {
  const [device, setDevice] = useShared('microphone', '')
  const [devices, setDevices] = useState<readonly MediaDeviceInfo[]>([])
  const choose = (id: string): void => setDevice(() => id)
  const name = async (): Promise<void> => {
    try {
      const all = await navigator.mediaDevices.enumerateDevices()
      setDevices(all.filter(({ kind, deviceId }) => kind === 'audioinput' && deviceId !== ''))
    } catch {
      // A browser that does not name its devices records from the one of its choice.
    }
  }
  return { devices, device, choose, name }
}

/**
 * Asks for a microphone.
 * @param device Its id. Without it, or when it is gone, the browser's own choice.
 * @throws DOMException `NotAllowedError` or `NotFoundError`
 */
export function openMicrophone(device = ''): Promise<MediaStream> {
  return navigator.mediaDevices.getUserMedia({ audio: device === '' ? true : { deviceId: device } })
}

/** Frees a microphone. */
export function closeMicrophone(microphone: MediaStream | undefined): void {
  for (const track of microphone?.getTracks() ?? []) track.stop()
}

/** Why a microphone cannot be used, and what to do. */
export function microphoneFault(reason: unknown): string {
  const name = reason instanceof DOMException ? reason.name : ''
  if (name === 'NotAllowedError') return 'The browser blocks the microphone. Allow it in the address bar.'
  if (name === 'NotFoundError') return 'No microphone found.'
  return `Cannot use the microphone: ${reason instanceof Error ? reason.message : String(reason)}`
}
