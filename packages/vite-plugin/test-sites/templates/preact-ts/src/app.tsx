import '@svc-audio/vite-plugin/player'
import { useState } from 'preact/hooks'
import post from './post.md?narrate'

export function App() {
  const [order, setOrder] = useState(['player', 'text'])
  return (
    <main>
      <button type="button" onClick={() => setOrder(order.toReversed())}>
        Move
      </button>
      {order.map((part) =>
        part === 'player' ? (
          <narration-player
            key={part}
            src={post.src}
            captions={post.captions}
            duration={post.durationSeconds}
            label={post.title}
            for="post"
          />
        ) : (
          <article key={part} id="post">
            <h1>The harbour</h1>
            <p>The boat leaves at nine.</p>
            <p>It takes about an hour.</p>
          </article>
        ),
      )}
    </main>
  )
}
