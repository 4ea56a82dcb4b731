import type { ReactElement } from 'react'
import type { Microphones } from '../audio/microphone.ts'
import { SelectField } from './form.tsx'

/** The choice of the microphone. One alone is no choice. */
export function MicrophoneField(props: Pick<Microphones, 'devices' | 'device' | 'choose'>): ReactElement | false {
  const { devices, device, choose } = props
  const named = devices.map(({ deviceId, label }) => ({ value: deviceId, label: label || deviceId }))
  const options = [{ value: '', label: "The browser's choice" }, ...named]
  return devices.length > 1 && <SelectField label="Microphone" value={device} options={options} onChange={choose} />
}
