import { launchChromium } from '../hosts/index.ts'

/**
 * Opens a page in Chromium, presses play on its player, and waits until the audio plays.
 * @returns Bytes of the audio
 * @throws Error for a page without a player, an error of the page, or audio that does not play within a minute
 */
export async function listen(url: string): Promise<number> {
  const browser = await launchChromium(['--autoplay-policy=no-user-gesture-required'])
  try {
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    await page.goto(url)
    const player = page.locator('narration-player')
    await player.getByRole('button').first().click({ timeout: 60_000 })
    await page.waitForFunction("document.querySelector('narration-player').audio?.currentTime > 0", undefined, {
      timeout: 60_000,
    })
    if (errors.length > 0) throw new Error(`The page has errors: ${errors.join(', ')}`)
    const source = await page.evaluate<string>("document.querySelector('narration-player').audio.currentSrc")
    return (await (await fetch(source)).bytes()).byteLength
  } finally {
    await browser.close()
  }
}

/** Opens the address of the page on Next.js. @returns bytes of audio */
export async function speakByAddress(url: string): Promise<number> {
  const response = await fetch(`${url}/speak?text=Good%20morning`)
  if (!response.ok) throw new Error(`/speak responded ${response.status}: ${await response.text()}`)
  return (await response.bytes()).byteLength
}

/** Opens the page of the browsers, presses **Speak**, and waits until it plays. @returns bytes of the audio */
export async function pressSpeak(url: string): Promise<number> {
  const browser = await launchChromium(['--autoplay-policy=no-user-gesture-required'])
  try {
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    await page.addInitScript(
      'globalThis.Audio = class extends Audio { constructor(url) { super(url); globalThis.spoken = this } }',
    )
    await page.goto(url)
    await page.getByRole('button', { name: 'Speak' }).click()
    await page.waitForFunction('globalThis.spoken?.currentTime > 0', undefined, { timeout: 60_000 })
    if (errors.length > 0) throw new Error(`The page has errors: ${errors.join(', ')}`)
    return await page.evaluate<number>('fetch(globalThis.spoken.src).then(async (it) => (await it.blob()).size)')
  } finally {
    await browser.close()
  }
}
