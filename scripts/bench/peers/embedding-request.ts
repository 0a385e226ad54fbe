/** `embedding-request ADDRESS MODEL TEXT`: asks for one vector and prints how many numbers it has, nothing else. */
const [address = '', model = '', text = ''] = process.argv.slice(2)
const answer = await fetch(`${address}/embeddings`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ model, input: [text] }),
})
const { data } = (await answer.json()) as { readonly data: readonly { readonly embedding: readonly number[] }[] }
console.log(data[0]?.embedding.length)
