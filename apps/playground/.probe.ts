import { startTestPlayground } from './test/support/playground.ts'
import { launchBrowser, openPage } from './test/support/browser.ts'
const [mode = 'ask', file] = process.argv.slice(2)
const p = await startTestPlayground()
const b = await launchBrowser(file)
const { page, errors } = await openPage(b, p.url + '/talk')
page.setDefaultTimeout(20000)
try {
  if (mode === 'ask') {
    await page.getByRole('button', { name: 'What time is it?' }).click()
    await page.waitForTimeout(25000)
    await page.screenshot({ path: '/tmp/talk1.png' })
  } else {
    await page.getByRole('button', { name: 'Talk', exact: true }).click()
    await page.waitForTimeout(12000)
    await page.screenshot({ path: '/tmp/talk2.png' })
  }
  console.log(await page.locator('.panel-main').innerText())
} finally {
  console.log(errors, p.output())
  await b.close()
  await p.close()
}
