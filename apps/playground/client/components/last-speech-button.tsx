import type { ReactElement } from 'react'
import { lastSpeech } from '../lib/last-speech.ts'
import { useStore } from '../lib/store.ts'
import { Button } from './button.tsx'

/** Audio for another panel, with the text that it speaks. */
export interface UsedSpeech {
  readonly data: Blob
  readonly name: string
  readonly said: string
}

/** Takes the last complete speech of the page. */
export function LastSpeechButton({ onUse }: { readonly onUse: (speech: UsedSpeech) => void }): ReactElement {
  const speech = useStore(lastSpeech)
  const use = async (): Promise<void> => {
    if (speech !== undefined) onUse({ data: await speech.file(), name: speech.name, said: speech.text })
  }
  return (
    <Button icon="arrow" disabled={speech === undefined} onClick={() => void use()}>
      Use the last speech
    </Button>
  )
}
