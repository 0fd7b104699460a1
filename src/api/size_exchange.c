/* SPDX-License-Identifier: BSD-3-Clause */
/* size_exchange.c - see size_exchange.h. */
#include "api/size_exchange.h"

#include "algos/halo.h"
#include "api/halo_blocks.h"
#include "nbc/comm/comm.h"
#include "nbc/process/reason.h"

#include <stdlib.h>
#include <string.h>

struct size_exchange {
    const algo *algo;
    const topo *topo;
    coll c;
    int round;    /* how many have begun, or were known before */
    int rounds;   /* of them all */
    sched *sched; /* its schedule */
    int64_t *mine, *found;
    size_t words; /* of what all rounds have found, with the one that runs */
    bool shows;   /* as size_exchange_shows */
};

bool size_exchange_needed(coll_kind kind, choice chosen)
{
    return algo_table[chosen.algo]->size_exchange &&
           (coll_is_v(kind) || coll_has(kind, COLL_NEIGHBORS));
}

static int64_t *list_lengths(const call *of, const plan_key *key)
{
    int64_t *list = malloc((size_t)of->coll.p * sizeof *list);

    for (int i = 0; list && i < of->coll.p; i++)
        list[i] = call_key_bytes(key, of, i);
    return list;
}

/* ---- the rounds ---- */

static bool make_room(size_exchange *s, size_t words)
{
    int64_t *larger = realloc(s->found, (s->words + words + 1) * sizeof *larger);

    if (!larger)
        return false;
    s->found = larger;
    s->words += words;
    return true;
}

/* The round is compiled. */
static int begin_round(size_exchange *s, exec *e)
{
    size_t words = (size_t)s->sched->extent[SPACE_RECV];
    binding b = {.sendbuf = s->mine,
                 .sendtype = MPI_INT64_T,
                 .sendcount = 1,
                 .recvtype = MPI_INT64_T,
                 .recvcount = 1,
                 .op = operation_none};

    if (!make_room(s, words) || !exec_attach(e, s->sched))
        return MPI_ERR_NO_MEM;
    b.recvbuf = s->found + s->words - words;
    return exec_bind(e, &b);
}

static bool of_halo(const size_exchange *s)
{
    return s->algo->rounds > HALO_LISTS;
}

/* Blocks of equal length that lie one after the other have no data in common. */
static void set_rounds(size_exchange *s)
{
    s->rounds = s->algo->rounds;
    if (of_halo(s) && coll_shapes[s->c.kind].send == COLL_EACH)
        s->rounds = HALO_LISTS;
}

/* The ranks of my node: so many members of this level, from `first` on. */
typedef struct node_ranks {
    const topo_level *level;
    int first, n;
} node_ranks;

/* There are several nodes. */
static node_ranks my_node(const size_exchange *s)
{
    const topo_level *l = topo_nodes(s->topo);
    int mine = l->region[s->c.rank], first = l->first[mine];

    return (node_ranks){l, first, l->first[mine + 1] - first};
}

/* If the communicator knows what the first round would find: how long the lists of my node are. */
static bool take_degrees(size_exchange *s, const comm *c)
{
    size_t words;

    if (!of_halo(s) || !topo_nodes(s->topo) || !c->degrees)
        return true;
    words = HALO_HEAD * (size_t)my_node(s).n;
    if (!make_room(s, words))
        return false;
    memcpy(s->found, c->degrees, words * sizeof *s->found);
    s->round = 1;
    return true;
}

/* ---- lists that are shown ---- */

/* Of the k-th rank of my node. */
static size_t words_of_list(const size_exchange *s, int k)
{
    return (size_t)halo_list_words(s->found[2 * k], s->found[2 * k + 1]);
}

/* Can this rank and all others of its node read each other's? *words: of all lists. */
static bool all_can_look(const size_exchange *s, const comm *c, size_t *words)
{
    node_ranks node = my_node(s);
    bool all = true;

    *words = 0;
    for (int k = 0; all && k < node.n; k++) {
        int rank = topo_member(node.level, node.first + k);
        const shm_peer *peer = shm_peers_find(c->shm_peers, rank);
        all = rank == c->rank || (peer && peer->from && peer->to);
        *words += words_of_list(s, k);
    }
    return all;
}

/* With room for all lists, so that to look takes no memory. False: not done; perhaps because their
 * lengths are not known. */
static bool show(size_exchange *s, const comm *c)
{
    const coll_neighbors *n = s->c.neighbors;
    size_t words, mine;

    if (s->round != 1 || !all_can_look(s, c, &words) || !make_room(s, words))
        return false;
    s->words -= words;
    mine = (size_t)halo_list_words(n->ndestinations, n->nsources);
    return words == mine /* alone on my node */ || shm_peers_show(c->shm_peers, s->mine, mine);
}

bool size_exchange_shows(const size_exchange *s)
{
    return s->shows;
}

int size_exchange_look(size_exchange *s, const comm *c)
{
    node_ranks node = my_node(s);

    for (int k = 0; k < node.n; k++) {
        int rank = topo_member(node.level, node.first + k);
        const int64_t *list =
            rank == c->rank ? s->mine : shm_peer_shown(shm_peers_find(c->shm_peers, rank));
        if (!list || memcmp(list, &s->found[2 * k], HALO_HEAD * sizeof *list) != 0)
            return reason_set(MPI_ERR_OTHER, "rank %d has failed in this init", rank);
        memcpy(s->found + s->words, list, words_of_list(s, k) * sizeof *list);
        s->words += words_of_list(s, k);
    }
    s->round = HALO_LISTS;
    s->shows = false;
    return MPI_SUCCESS;
}

/* ---- all of it ---- */

int size_exchange_error(sched_error error)
{
    static const int classes[] = {
        [SCHED_OK] = MPI_SUCCESS,
        [SCHED_NO_MEMORY] = MPI_ERR_NO_MEM,
        [SCHED_BAD_STEP] = MPI_ERR_INTERN,
        [SCHED_TOO_LARGE] = MPI_ERR_COUNT,
    };

    if (error == SCHED_MISMATCH)
        return reason_set(MPI_ERR_TRUNCATE, "blocks are longer or shorter at the ranks that send "
                                            "them than where they are received");
    return classes[error];
}

/* The next round. *asks: there is one; of the first one all ranks know whether anybody has
 * something to do. */
static int go_on(size_exchange *s, exec *e, bool *asks)
{
    int error;

    *asks = false;
    if (s->round > 0 && s->round >= s->rounds)
        return MPI_SUCCESS;
    s->c.exchanged_sizes = s->found;
    error = size_exchange_error(
        algo_compile_size_exchange(s->algo, &s->c, s->round, s->topo, &s->sched));
    if (error)
        return error;
    *asks = s->round++ > 0 || s->sched->nsteps > 0;
    return *asks ? begin_round(s, e) : MPI_SUCCESS;
}

static void end_round(size_exchange *s, exec *e)
{
    if (e && s->sched && e->bound.sched == s->sched)
        exec_detach(e);
    sched_free(s->sched);
    s->sched = NULL;
}

int size_exchange_send(size_exchange *s, exec *e)
{
    bool asks;

    s->shows = false;
    return go_on(s, e, &asks);
}

int size_exchange_begin(exec *e, const call *of, const plan_key *key, choice chosen,
                        exchange_purpose purpose, size_exchange **result)
{
    size_exchange *s = calloc(1, sizeof *s);
    const coll_neighbors *n = comm_neighbors(of->comm, (coll_kind)key->kind);
    bool asks = false;
    int error = MPI_ERR_NO_MEM;

    if (!s)
        return error;
    s->algo = algo_table[chosen.algo];
    s->topo = of->comm->ready ? of->comm->topo : NULL;
    s->c = (coll){.kind = (coll_kind)key->kind,
                  .p = of->coll.p,
                  .rank = of->coll.rank,
                  .neighbors = n,
                  .parameter = chosen.parameter,
                  .variant = chosen.variant};
    s->mine = n ? halo_blocks_list(of, key, n, halo_groups(chosen.parameter), purpose != FOR_CALL)
                : list_lengths(of, key);
    set_rounds(s);
    if (s->mine && take_degrees(s, of->comm)) {
        s->shows = purpose == FOR_INIT && show(s, of->comm);
        error = s->shows ? MPI_SUCCESS : go_on(s, e, &asks);
    }
    if (error || !(asks || s->shows))
        size_exchange_end(s, e);
    else
        *result = s;
    return error;
}

bool size_exchange_goes_on(size_exchange *s, exec *e, int *error)
{
    bool asks;

    end_round(s, e);
    *error = go_on(s, e, &asks);
    return !*error && asks;
}

bool size_exchange_runs(const size_exchange *s)
{
    return s->sched != NULL;
}

bool size_exchange_is_last(const size_exchange *s)
{
    return s->round >= s->rounds;
}

int size_exchange_rounds(const size_exchange *s)
{
    return s->round;
}

const int64_t *size_exchange_found(const size_exchange *s)
{
    return s->found;
}

bool size_exchange_shares(const size_exchange *s)
{
    bool shares = false;

    for (int i = 0; of_halo(s) && i < s->c.neighbors->ndestinations; i++)
        shares |= s->mine[HALO_HEAD + HALO_DESTINATION * i + 3] > 0;
    return shares;
}

int size_exchange_balance(const size_exchange *s, uint64_t *sum)
{
    *sum = 0;
    return !of_halo(s) || halo_list_balance(s->mine, s->c.rank, sum) ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

void size_exchange_share_nothing(size_exchange *s)
{
    if (of_halo(s))
        s->rounds = HALO_LISTS;
}

bool size_exchange_choose(size_exchange *s, choice chosen)
{
    bool same =
        s->rounds == HALO_LISTS || halo_groups(chosen.parameter) == halo_groups(s->c.parameter);

    s->algo = algo_table[chosen.algo];
    s->c.parameter = chosen.parameter;
    return same;
}

plan_key *size_exchange_key(const size_exchange *s, const plan_key *key, size_t *size)
{
    size_t bytes = s->words * sizeof *s->found;
    plan_key *longer = malloc(*size + bytes);

    if (!longer)
        return NULL;
    memcpy(longer, key, *size);
    longer->exchanged_rounds = (uint8_t)s->round;
    memcpy((char *)longer + *size, s->found, bytes);
    *size += bytes;
    return longer;
}

void size_exchange_end(size_exchange *s, exec *e)
{
    if (!s)
        return;
    end_round(s, e);
    free(s->found);
    free(s->mine);
    free(s);
}
