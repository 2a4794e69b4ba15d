/**
 * A crowd of connections, open at the same time, each with one request: `crowd.mjs PORT COUNT`, as a child process. Tells
 * its parent how many were answered, and leaves when it is told to.
 */

import { connect } from 'node:net';

const [port, count] = process.argv.slice(2).map(Number);
const body = JSON.stringify({ model: 'large', messages: [{ role: 'user', content: 'How high is it?' }] });
const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: mock\r\ncontent-length: ${body.length}\r\n\r\n`;
/** Connections that are being made; a system takes only so many at a time. */
const AT_ONCE = 500;

let opened = 0;
let answered = 0;
let failed = 0;
const sockets = [];

function open() {
  if (opened === count) return;
  opened += 1;
  const socket = connect({ port, host: '127.0.0.1' }, open);
  sockets.push(socket);
  socket.on('error', () => {
    failed += 1;
    ended();
  });
  socket.once('data', () => {
    answered += 1;
    ended();
  });
}

/** All are connected before the first of them asks. */
function ask() {
  for (const socket of sockets) socket.write(head + body);
}

function ended() {
  if (answered + failed === count) process.send({ answered, failed });
}

process.on('message', () => process.exit(0));
for (let n = 0; n < AT_ONCE; n += 1) open();
const waiting = setInterval(() => {
  if (sockets.length < count || sockets.some(({ connecting }) => connecting)) return;
  clearInterval(waiting);
  ask();
}, 5);
