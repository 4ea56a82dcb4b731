// #region upload
/** Sends a form and reports upload progress. `fetch` cannot report it. */
function send(url, form, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', url)
    request.responseType = 'json'
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total))
    request.addEventListener('load', () => (request.status < 400 ? resolve : reject)(request.response))
    request.addEventListener('error', () => reject(new Error('The connection failed')))
    request.send(form)
  })
}
// #endregion

const element = (id) => document.getElementById(id)

function showProgress(share) {
  element('sent').value = share
}

element('upload').addEventListener('submit', (event) => {
  event.preventDefault()
  element('transcript').textContent = ''
  send('/transcribe', new FormData(event.target), showProgress).then(
    ({ text }) => (element('transcript').textContent = text),
    // An error response is JSON with a message.
    ({ message }) => (element('transcript').textContent = message),
  )
})

// #region play
/** Plays a text on every phone, from a finished file with ranges. */
async function play(player, text) {
  const headers = { 'content-type': 'application/json' }
  const created = await fetch('/speech', { method: 'POST', headers, body: JSON.stringify({ text }) })
  const { task_id, message } = await created.json()
  if (!created.ok) throw new Error(message)
  for (;;) {
    const head = await fetch(`/speech/${task_id}`, { method: 'HEAD' })
    if (head.ok) break
    if (head.status !== 409) throw new Error(`No audio: status ${head.status}`)
    await new Promise((resolve) => setTimeout(resolve, 1000 * Number(head.headers.get('retry-after'))))
  }
  player.src = `/speech/${task_id}`
  // A phone may block playback without a touch. The user then presses the player's button.
  await player.play().catch(() => {})
}
// #endregion

element('speak').addEventListener('submit', (event) => {
  event.preventDefault()
  element('speech').textContent = 'Speaking…'
  play(element('player'), new FormData(event.target).get('text')).then(
    () => (element('speech').textContent = ''),
    ({ message }) => (element('speech').textContent = message),
  )
})
