import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

/** Chooses a quick voice for the Speak panel. On a busy machine, a natural one is slower than its audio. */
export async function chooseQuickVoice(page: Page): Promise<void> {
  await page.evaluate("localStorage.setItem('svc-audio.speak', JSON.stringify({ voice: 'rms' }))")
  await page.reload()
}

/** Types a text into the Speak panel, speaks it, and waits for all audio. */
export async function speak(page: Page, text: string): Promise<void> {
  await page.getByLabel('Text', { exact: true }).fill(text)
  await page.getByRole('button', { name: 'Speak', exact: true }).click()
  await page.getByText(/^Complete: /).waitFor()
}

/** Presses Ctrl+Enter when the button that it stands for is enabled: the voices load first. */
export async function runByKeys(page: Page, button: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true, disabled: false }).waitFor()
  await page.keyboard.press('Control+Enter')
}

/** Presses a download button. @returns the file */
export async function download(page: Page, name = 'Download'): Promise<{ name: string; bytes: Buffer }> {
  const started = page.waitForEvent('download')
  await page.getByRole('button', { name }).first().click()
  const file = await started
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) }
}

/** Drops a file onto the first drop zone. */
export async function drop(page: Page, name: string, content: Buffer): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    `(() => {
      const bytes = Uint8Array.from(atob('${content.toString('base64')}'), (char) => char.charCodeAt(0))
      const transfer = new DataTransfer()
      transfer.items.add(new File([bytes], '${name}'))
      return transfer
    })()`,
  )
  await page.locator('.drop-zone').dispatchEvent('drop', { dataTransfer })
}

/** Length and loudness of a WAV of 16-bit samples. */
export function measure(wav: Buffer): { readonly sampleRate: number; readonly seconds: number; readonly peak: number } {
  const sampleRate = wav.readUInt32LE(24)
  const samples = new Int16Array(Uint8Array.from(wav.subarray(44)).buffer)
  const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0) / 0x80_00
  return { sampleRate, seconds: samples.length / sampleRate / wav.readUInt16LE(22), peak }
}

/** Limits the uploads of a page. @returns a function that ends the limit */
export async function limitUploads(page: Page, bytesPerSecond: number): Promise<() => Promise<void>> {
  const session = await page.context().newCDPSession(page)
  const limit = async (uploadThroughput: number): Promise<void> => {
    const unlimited = { offline: false, latency: 0, downloadThroughput: -1 }
    await session.send('Network.emulateNetworkConditions', { ...unlimited, uploadThroughput })
  }
  await session.send('Network.enable')
  await limit(bytesPerSecond)
  return () => limit(-1)
}
