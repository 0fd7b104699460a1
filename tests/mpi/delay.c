/* SPDX-License-Identifier: BSD-3-Clause */
/* delay.c - a switch that keeps each frame for a while: emulated hosts far apart (cluster).
 *
 *   delay MICROSECONDS INTERFACE...
 *
 *   to_n0 ---\              /---> to_n1
 *             time to leave         as netem's delay, which many kernels do not have
 *   to_n1 ---/   | | | |    \---> to_n0
 *
 * Frames leave in the order in which they came, by the interface behind which their destination
 * was seen, or by all others. Large ones that a network card would cut stay whole. It runs before
 * all other processes, so that what they compute does not add to the delay. Needs root. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { PORTS = 64, FRAME = 1 << 17, MACS = 256 };

typedef struct frame {
    struct frame *next;
    long long due; /* in nanoseconds */
    int port;      /* that it came by */
    size_t length;
    char data[]; /* struct virtio_net_hdr, then the frame */
} frame;

static struct pollfd port[PORTS];
static int ports;
static struct {
    unsigned char mac[ETH_ALEN];
    int port;
} seen[MACS];
static int macs;

static void stop(const char *what)
{
    fprintf(stderr, "delay: %s: %s\n", what, strerror(errno));
    exit(1);
}

static long long now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int open_port(const char *name)
{
    struct sockaddr_ll at = {.sll_family = AF_PACKET,
                             .sll_protocol = __builtin_bswap16(ETH_P_ALL),
                             .sll_ifindex = (int)if_nametoindex(name)};
    struct packet_mreq all = {.mr_ifindex = at.sll_ifindex, .mr_type = PACKET_MR_PROMISC};
    int on = 1, room = 16 << 20, s = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0);

    if (s < 0 || setsockopt(s, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on) ||
        setsockopt(s, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) ||
        setsockopt(s, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all) ||
        setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) ||
        bind(s, (struct sockaddr *)&at, sizeof at))
        stop(name);
    return s;
}

/* The port of a destination; -1: not known, or all. */
static int find(const unsigned char *mac)
{
    for (int i = 0; i < macs; i++)
        if (memcmp(seen[i].mac, mac, ETH_ALEN) == 0)
            return seen[i].port;
    return -1;
}

static void learn(const unsigned char *mac, int from)
{
    if (find(mac) >= 0 || macs == MACS)
        return;
    memcpy(seen[macs].mac, mac, ETH_ALEN);
    seen[macs++].port = from;
}

/* NULL: there is none now. */
static frame *receive(int from, long long delay)
{
    static char data[FRAME];
    ssize_t n = recv(port[from].fd, data, sizeof data, 0);
    frame *f;

    if (n < (ssize_t)(sizeof(struct virtio_net_hdr) + ETH_HLEN))
        return NULL;
    f = malloc(sizeof *f + (size_t)n);
    if (!f)
        stop("no memory");
    *f = (frame){.due = now() + delay, .port = from, .length = (size_t)n};
    memcpy(f->data, data, f->length);
    learn((unsigned char *)f->data + sizeof(struct virtio_net_hdr) + ETH_ALEN, from);
    return f;
}

static void forward(const frame *f)
{
    int to = find((const unsigned char *)f->data + sizeof(struct virtio_net_hdr));

    for (int i = 0; i < ports; i++)
        if (i != f->port && (to < 0 || i == to))
            (void)!send(port[i].fd, f->data, f->length, 0); /* a switch drops, too */
}

int main(int argc, char **argv)
{
    frame *first = NULL, **last = &first, *f;
    long long delay = argc > 1 ? 1000 * atoll(argv[1]) : 0;

    if (argc < 3 || argc > 2 + PORTS || delay <= 0) {
        fprintf(stderr, "usage: delay MICROSECONDS INTERFACE...\n");
        return 2;
    }
    for (; ports < argc - 2; ports++)
        port[ports] = (struct pollfd){.fd = open_port(argv[2 + ports]), .events = POLLIN};
    sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1});
    for (;;) {
        long long wait = first ? first->due - now() : 0;
        if (!first || wait > 0)
            ppoll(port, (nfds_t)ports, first ? &(struct timespec){.tv_nsec = wait} : NULL, NULL);
        for (int i = 0; i < ports; i++)
            while ((f = receive(i, delay))) {
                *last = f;
                last = &f->next;
            }
        while (first && first->due <= now()) {
            f = first;
            first = f->next;
            last = first ? last : &first;
            forward(f);
            free(f);
        }
    }
}
